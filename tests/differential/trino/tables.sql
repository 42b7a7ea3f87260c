CREATE SCHEMA IF NOT EXISTS lake.shop;
CREATE TABLE lake.shop.people (id bigint, name varchar, age integer, city varchar, born date, score double, salary decimal(12,2), tags array(varchar), attrs map(varchar, integer), joined timestamp(6), seen timestamp(6) with time zone, home row(street varchar, number integer));
INSERT INTO lake.shop.people VALUES
 (1, 'Ann', 34, 'Berlin', DATE '1990-02-28', 1.5e0, 1000.50, ARRAY['a', 'b'], MAP(ARRAY['x', 'y'], ARRAY[1, 2]), TIMESTAMP '2020-01-01 10:00:00', TIMESTAMP '2020-01-01 10:00:00 UTC', CAST(ROW('Main', 1) AS row(street varchar, number integer))),
 (2, 'bob', 28, 'Paris', DATE '1996-02-29', -2.25e0, 2000.00, ARRAY['b'], MAP(ARRAY['x'], ARRAY[5]), TIMESTAMP '2020-06-15 23:59:59.123456', TIMESTAMP '2020-07-01 00:30:00 UTC', CAST(ROW('Side', 22) AS row(street varchar, number integer))),
 (3, 'Cyd', NULL, 'Berlin', NULL, nan(), NULL, CAST(ARRAY[] AS array(varchar)), CAST(MAP() AS map(varchar, integer)), NULL, NULL, NULL),
 (4, 'Dée', 51, NULL, DATE '1969-12-31', 0e0, 0.01, NULL, NULL, TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '1969-12-31 23:59:59 UTC', CAST(ROW(NULL, NULL) AS row(street varchar, number integer))),
 (5, 'Eve', 34, 'Rome', DATE '2000-01-01', 1.5e0, 99999.99, ARRAY['a', NULL, 'c'], MAP(ARRAY['z'], ARRAY[NULL]), TIMESTAMP '2021-12-31 00:00:00', TIMESTAMP '2021-03-28 01:30:00 UTC', CAST(ROW('Via', 3) AS row(street varchar, number integer))),
 (6, NULL, 19, 'Paris', DATE '2004-07-14', infinity(), -50.25, ARRAY['d'], MAP(ARRAY['x', 'w'], ARRAY[-1, 0]), TIMESTAMP '2022-02-28 12:00:00', TIMESTAMP '2022-11-06 05:30:00 UTC', CAST(ROW('', 0) AS row(street varchar, number integer)));
CREATE TABLE lake.shop.orders (id bigint, person_id bigint, amount decimal(10,2), placed date, status varchar, items integer);
INSERT INTO lake.shop.orders VALUES
 (100, 1, 10.00, DATE '2020-01-05', 'open', 1), (101, 1, 20.50, DATE '2020-02-05', 'done', 3), (102, 2, 5.25, DATE '2020-02-29', 'done', 1),
 (103, 2, NULL, DATE '2020-03-01', 'open', NULL), (104, 5, 100.00, DATE '2021-01-01', 'done', 10), (105, NULL, 7.77, NULL, 'lost', 2),
 (106, 9, 1.00, DATE '2021-12-31', 'open', 4), (107, 1, 20.50, DATE '2021-06-30', 'lost', 5), (108, 6, 33.33, DATE '2022-02-02', NULL, 6);
CREATE TABLE lake.shop.cities (name varchar, country varchar, population bigint);
INSERT INTO lake.shop.cities VALUES ('Berlin', 'DE', 3700000), ('Paris', 'FR', 2100000), ('Oslo', 'NO', 700000), ('Rome', 'IT', NULL);
CREATE TABLE lake.shop.empty (id bigint, v varchar);
