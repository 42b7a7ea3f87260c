"""Engine `cedar`: Cedar policies, evaluated in this process by cedarpy. Filters and masks are annotations."""
