-- A small shop, for `make run`. Nothing is replaced: what exists stays as it is.
CREATE SCHEMA IF NOT EXISTS demo;

CREATE TABLE IF NOT EXISTS demo.customers COMMENT 'Who buys' AS
SELECT * FROM VALUES
  (1, 'Ada Berg', 'NO', DATE '2026-01-12'),
  (2, 'Bruno Costa', 'PT', DATE '2026-02-03'),
  (3, 'Chiara Rossi', 'IT', DATE '2026-02-20'),
  (4, 'Dieter Klein', 'DE', DATE '2026-03-15')
  AS customer (customer_id, name, country, since);

CREATE TABLE IF NOT EXISTS demo.products COMMENT 'What is sold' AS
SELECT * FROM VALUES
  (10, 'Notebook', 'paper', 4.50),
  (11, 'Fountain pen', 'ink', 38.00),
  (12, 'Blotter', 'paper', 2.20),
  (13, 'Ink, blue', 'ink', 9.90)
  AS product (product_id, name, category, price);

CREATE TABLE IF NOT EXISTS demo.orders PARTITIONED BY (months(ordered_at)) COMMENT 'Who bought what' AS
SELECT * FROM VALUES
  (100, 1, 10, 3, TIMESTAMP '2026-04-02 09:15:00'),
  (101, 1, 11, 1, TIMESTAMP '2026-04-02 09:15:00'),
  (102, 2, 12, 10, TIMESTAMP '2026-04-18 14:40:00'),
  (103, 3, 13, 2, TIMESTAMP '2026-04-30 18:05:00')
  AS purchase (order_id, customer_id, product_id, quantity, ordered_at);

-- The state of the table at the end of April keeps a name.
ALTER TABLE demo.orders CREATE TAG april;

INSERT INTO demo.orders VALUES
  (104, 3, 11, 1, TIMESTAMP '2026-05-04 11:30:00'),
  (105, 4, 10, 12, TIMESTAMP '2026-05-11 16:20:00');

UPDATE demo.orders SET quantity = 5 WHERE order_id = 102;
