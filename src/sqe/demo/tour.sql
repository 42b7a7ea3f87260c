-- What `make run` shows when there is no terminal to type in.
SHOW TABLES IN demo;

SELECT c.name, c.country, count(*) AS orders, sum(o.quantity * p.price) AS revenue
FROM demo.orders o JOIN demo.customers c USING (customer_id) JOIN demo.products p USING (product_id)
GROUP BY c.name, c.country ORDER BY revenue DESC;

-- Every change of an Iceberg table is a snapshot.
SELECT operation, summary['added-records'] AS added, summary['total-records'] AS total
FROM demo.orders.snapshots ORDER BY committed_at;

-- The table as it was when the tag was set.
SELECT order_id, quantity FROM demo.orders VERSION AS OF 'april' ORDER BY order_id;

-- And as it is.
SELECT order_id, quantity FROM demo.orders ORDER BY order_id;
