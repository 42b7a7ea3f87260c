{int} + {int2}
{int} - {int2}
{int} * {int2}
{int} / {int2}
{int} % {int2}
{big} + {big2}
{big} - {big2}
{big} * {big2}
{big} / {big2}
{big} % {big2}
{dec} + {dec2}
{dec} - {dec2}
{dec} * {dec2}
{dec} / {dec2}
{dec} % {dec2}
{dbl} + {dbl2}
{dbl} - {dbl2}
{dbl} * {dbl2}
{dbl} / {dbl2}
{dbl} % {dbl2}
{tiny} + TINYINT '1'
{tiny} - TINYINT '1'
- {tiny}
{small} * SMALLINT '2'
{small} + {int2}
{real} + REAL '1'
{real} * 2
{real} / REAL '0.5'
{real} + 1e0
{int2} + {dec2}
{int2} * {dec2}
{int2} / {dec2}
{dec2} / {int2}
{int2} + {dbl2}
{dec2} * {dbl2}
- {int}
- {big}
- {dec}
- {dbl}
1 + 2 * 3 - 4 / 5 % 6
7 / 2 * 2
-7 / 2
-7 % 3
7 % -3
(1 + 2) * 3
2147483647 + BIGINT '1'
9223372036854775807 - 1
1.0 / 3
10.00 / 3.0
1 / 3.000
2.5 * 4
0.1 + 0.2
0.06 - 0.01 = 0.05
DECIMAL '99999999999999999999999999999999999999' + 1
DECIMAL '1' / DECIMAL '3'
CAST(1 AS decimal(38,10)) / 3
CAST(2 AS decimal(18,4)) * CAST(3.5 AS decimal(18,4))
1e0 / 3
0e0 / 0e0
-1e0 / 0e0
1e308 * 10e0
NULL + 1
NULL * NULL
1 - NULL
1_000 + 1
0x1F + 0b101 + 0o17
