{{ config(materialized='view') }}
select p.name, count(*) as orders, sum(o.amount) as spent, max(o.placed) as latest
from {{ ref('people_now') }} p
join {{ ref('orders_merged') }} o on o.person_id = p.id
group by 1
