{int} = {int2}
{int} <> {int2}
{int} < {int2}
{int} >= {int2}
{dbl} = {dbl2}
{dbl} <> {dbl2}
{dbl} < {dbl2}
{dbl} >= {dbl2}
{dec} > {dec2}
{str} = {str2}
{str} < {str2}
{bool} AND true
{bool} AND CAST(NULL AS boolean)
{bool} OR false
{bool} OR CAST(NULL AS boolean)
NOT {bool}
{int} IS NULL
{int} IS NOT NULL
{int} IS DISTINCT FROM {int2}
{dbl} IS DISTINCT FROM {dbl2}
{int} IS NOT DISTINCT FROM NULL
{int} BETWEEN -7 AND 7
{int} NOT BETWEEN 0 AND 10
{dbl} BETWEEN 0e0 AND 2e0
{int} IN (1, 7, 0)
{int} IN (1, NULL)
{int} NOT IN (7, NULL)
{str} IN ('hello', '')
{str} LIKE '%l%'
{str} LIKE '_____'
{str} NOT LIKE 'h%'
'a\b' LIKE 'a\b'
'a%b' LIKE 'a\%b' ESCAPE '\'
'a_b' LIKE 'a#_b' ESCAPE '#'
'axb' LIKE 'a#_b' ESCAPE '#'
'' LIKE ''
'x' LIKE '%%'
'日本' LIKE '日_'
'a' = 'a '
'A' = 'a'
CAST('a' AS char(3)) = 'a'
CAST('a' AS char(3)) = CAST('a' AS char(5))
CAST('b' AS char(3)) > 'a'
1 = 1.0
1 = 1e0
1.50 = 1.5
REAL '1.5' = 1.5e0
DATE '2020-01-01' < TIMESTAMP '2020-01-01 00:00:01'
TIMESTAMP '2020-01-01 00:00:00 UTC' = TIMESTAMP '2019-12-31 19:00:00 America/New_York'
ARRAY[1, 2] = ARRAY[1, 2]
ARRAY[1, 2] = ARRAY[1, 3]
ARRAY[1, NULL] = ARRAY[1, NULL]
ARRAY[1, NULL] = ARRAY[2, NULL]
ARRAY[1, 2] <> ARRAY[1]
ARRAY[1, 2] < ARRAY[1, 3]
(1, 2) = (1, 2)
(1, NULL) = (1, 2)
(1, NULL) = (2, NULL)
ROW(1, 'a') = ROW(1, 'b')
(1, 2) < (1, 3)
(1, 2) IN ((1, 2), (3, 4))
true = false
true > false
CASE WHEN {bool} THEN 1 ELSE 2 END
CASE {int} WHEN 7 THEN 'seven' WHEN 0 THEN 'zero' END
CASE WHEN false THEN 1 END
CASE WHEN true THEN 1 ELSE 2.5 END
IF({bool}, 'yes', 'no')
IF({bool}, 1)
COALESCE({int}, 42)
COALESCE(NULL, NULL, 3)
COALESCE({str}, 'none')
COALESCE(1, 2.5)
NULLIF({int}, 7)
NULLIF({str}, 'hello')
NULLIF(1, 1.0)
greatest({int}, {int2})
least({int}, {int2})
greatest({dbl}, {dbl2})
greatest('a', 'b', NULL)
greatest(DATE '2020-01-01', DATE '2021-01-01')
least(1, 2.5, 3)
1 = ANY (VALUES 1, 2)
3 > ALL (VALUES 1, 2)
3 = ANY (VALUES 1, NULL)
1 < SOME (VALUES 0, 5)
2 > ALL (VALUES 1, NULL)
1 IN (SELECT 1)
NULL IN (SELECT 1)
EXISTS (SELECT 1 WHERE false)
(SELECT max(x) FROM (VALUES 1, 3, 2) t(x))
