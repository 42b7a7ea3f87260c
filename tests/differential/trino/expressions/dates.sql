{date}
{ts}
{tstz}
year({date})
month({date})
day({date})
quarter({date})
week({date})
day_of_week({date})
dow({date})
day_of_year({date})
doy({date})
day_of_month({date})
year_of_week({date})
yow({date})
last_day_of_month({date})
year({ts})
hour({ts})
minute({ts})
second({ts})
millisecond({ts})
day_of_week({ts})
week({ts})
last_day_of_month({ts})
hour({tstz})
day({tstz})
minute({tstz})
timezone_hour({tstz})
timezone_minute({tstz})
timezone({tstz})
extract(YEAR FROM {date})
extract(DOW FROM {date})
extract(HOUR FROM {ts})
extract(SECOND FROM {ts})
extract(TIMEZONE_HOUR FROM {tstz})
date_trunc({dunit}, {date})
date_trunc({tunit}, {ts})
date_trunc({tunit}, TIMESTAMP '2021-07-01 12:30:00.500 America/New_York')
date_trunc('hour', DATE '2020-01-01')
date_add({dunit}, 1, {date})
date_add({dunit}, -13, DATE '2020-02-29')
date_add({tunit}, 5, {ts})
date_add({tunit}, -1, TIMESTAMP '2021-03-14 12:30:00 America/New_York')
date_add('month', 1, DATE '2020-01-31')
date_diff({dunit}, DATE '2020-02-29', {date})
date_diff({tunit}, TIMESTAMP '2020-01-31 12:00:00', {ts})
date_diff('month', DATE '2020-01-31', DATE '2020-02-29')
date_diff('day', TIMESTAMP '2020-01-01 23:00:00', TIMESTAMP '2020-01-02 01:00:00')
date_diff('hour', TIMESTAMP '2020-01-01 23:00:00 UTC', TIMESTAMP '2020-01-02 01:00:00 +02:00')
date_format({ts}, '%Y-%m-%d %H:%i:%s')
date_format({ts}, '%a %b %e %Y %h:%i %p')
date_format({ts}, '%W %M %d %y %j')
date_format({date}, '%d/%m/%Y')
date_format({tstz}, '%Y-%m-%d %T')
date_format(TIMESTAMP '2020-01-05 01:02:03.456', '%f %k %l %r')
format_datetime({ts}, 'yyyy-MM-dd HH:mm:ss')
format_datetime({ts}, 'EEE, d MMM yyyy')
format_datetime({ts}, 'yyyy''T''HH')
date_parse('2020-02-29 10:11:12', '%Y-%m-%d %H:%i:%s')
date_parse('29/02/2020', '%d/%m/%Y')
date_parse('x', '%Y')
parse_datetime('2020-02-29 10:11', 'yyyy-MM-dd HH:mm')
to_iso8601({date})
to_iso8601({ts})
to_iso8601({tstz})
from_iso8601_date('2020-05-11')
from_iso8601_timestamp('2020-05-11T11:15:05Z')
from_iso8601_timestamp('2020-05-11T11:15:05.123+01:00')
from_unixtime(0)
from_unixtime(1.5e9)
from_unixtime(-1.5e0)
from_unixtime(0, 'America/New_York')
from_unixtime(0, 5, 30)
to_unixtime({ts})
to_unixtime({tstz})
to_milliseconds(INTERVAL '1' DAY)
to_milliseconds(INTERVAL '1.5' SECOND)
date('2020-02-29')
date({ts})
{date} + INTERVAL '1' DAY
{date} - INTERVAL '1' MONTH
{date} + INTERVAL '1' YEAR
{ts} + INTERVAL '36' HOUR
{ts} - INTERVAL '1' MONTH
{ts} + INTERVAL '1.5' SECOND
{tstz} + INTERVAL '1' DAY
{tstz} + INTERVAL '1' MONTH
INTERVAL '1' DAY + {date}
{date} - DATE '2020-01-01'
{ts} - TIMESTAMP '2020-01-01 00:00:00'
DATE '2020-01-31' + INTERVAL '1' MONTH
DATE '2020-02-29' + INTERVAL '1' YEAR
DATE '2020-03-31' - INTERVAL '1' MONTH
INTERVAL '2' DAY * 3
INTERVAL '1' HOUR + INTERVAL '30' MINUTE
INTERVAL '1' YEAR - INTERVAL '1' MONTH
INTERVAL '3' DAY / 2
- INTERVAL '1' DAY
INTERVAL '1 12:30:15.5' DAY TO SECOND
INTERVAL '2-3' YEAR TO MONTH
INTERVAL '10:20' HOUR TO MINUTE
INTERVAL '2' WEEK
INTERVAL '1' DAY < INTERVAL '25' HOUR
year(INTERVAL '2-3' YEAR TO MONTH)
month(INTERVAL '2-3' YEAR TO MONTH)
day(INTERVAL '1 12:30:15.5' DAY TO SECOND)
hour(INTERVAL '1 12:30:15.5' DAY TO SECOND)
second(INTERVAL '1 12:30:15.5' DAY TO SECOND)
millisecond(INTERVAL '1 12:30:15.5' DAY TO SECOND)
{tstz} AT TIME ZONE 'Asia/Tokyo'
{tstz} AT TIME ZONE '-03:30'
TIMESTAMP '2020-01-01 00:00:00' AT TIME ZONE 'Europe/Berlin'
at_timezone({tstz}, 'Europe/London')
with_timezone({ts}, 'Europe/Paris')
hour({tstz} AT TIME ZONE 'Asia/Tokyo')
CAST({tstz} AT TIME ZONE 'Asia/Kolkata' AS varchar)
date_trunc('day', {tstz} AT TIME ZONE 'Asia/Tokyo')
current_timezone()
now() = current_timestamp
current_date = CAST(now() AS date)
localtimestamp <= localtimestamp
sequence(DATE '2020-02-27', DATE '2020-03-02')
sequence(DATE '2020-01-31', DATE '2020-05-31', INTERVAL '1' MONTH)
sequence(DATE '2020-01-05', DATE '2020-01-01', INTERVAL '-2' DAY)
sequence(TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 12:00:00', INTERVAL '5' HOUR)
TIME '10:11:12'
TIME '23:59:59.999999'
TIME '10:11:12' < TIME '10:11:13'
hour(TIME '10:11:12')
minute(TIME '10:11:12')
second(TIME '10:11:12')
DATE '0001-01-01'
DATE '9999-12-31'
DATE '2020-13-01'
TIMESTAMP '2020-02-30 00:00:00'
TIMESTAMP '2020-01-01 25:00:00'
date_diff('year', DATE '2000-02-29', DATE '2020-02-28')
date_diff('week', DATE '2020-01-01', DATE '2020-01-15')
week(DATE '2020-12-31')
year_of_week(DATE '2021-01-01')
{tstz} - TIMESTAMP '2020-01-01 00:00:00 UTC'
{date} = TIMESTAMP '2020-02-29 00:00:00'
{date} IN (DATE '2020-02-29', DATE '1970-01-01')
{ts} BETWEEN TIMESTAMP '2020-01-01 00:00:00' AND TIMESTAMP '2020-12-31 00:00:00'
