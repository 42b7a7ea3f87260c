{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }}
select id, person_id, cast(amount as decimal(10, 2)) as amount, placed, round
from {{ ref('orders') }}
{% if is_incremental() %}
where round > (select max(round) from {{ this }}) and round <= {{ var('round') }}
{% else %}
where round = 1
{% endif %}
