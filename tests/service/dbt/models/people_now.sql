-- Ann moves between the rounds: what the snapshot has to notice.
select id, name, case when id = 1 and {{ var('round') }} = 2 then 'Oslo' else city end as city, joined
from {{ ref('people') }}
