"""The benchmark suites: each module here has one `SUITE`, its tables with their generators and its queries."""
