select name from {{ ref('spent') }} where spent <= 0
