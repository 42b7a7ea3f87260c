-- What tools ask about the database: Trino's JDBC driver for DBeaver and Metabase, Superset by SQLAlchemy, dbt.
SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS,
  TYPE_CAT, TYPE_SCHEM, TYPE_NAME,   SELF_REFERENCING_COL_NAME, REF_GENERATION
FROM system.jdbc.tables
WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 'shop' ESCAPE '\' AND TABLE_NAME LIKE '%e%' ESCAPE '\' AND TABLE_TYPE IN ('TABLE', 'VIEW')
ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME;
SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS,
  TYPE_CAT, TYPE_SCHEM, TYPE_NAME,   SELF_REFERENCING_COL_NAME, REF_GENERATION
FROM system.jdbc.tables
WHERE TABLE_CAT IS NULL AND TABLE_SCHEM IS NULL
ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME;
SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, DATA_TYPE,
  TYPE_NAME, COLUMN_SIZE, BUFFER_LENGTH, DECIMAL_DIGITS, NUM_PREC_RADIX,
  NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB,
  CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE,
  SCOPE_CATALOG, SCOPE_SCHEMA, SCOPE_TABLE,
  SOURCE_DATA_TYPE, IS_AUTOINCREMENT, IS_GENERATEDCOLUMN
FROM system.jdbc.columns
WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 'shop' ESCAPE '\' AND TABLE_NAME LIKE 'people' ESCAPE '\' AND COLUMN_NAME LIKE '%' ESCAPE '\'
ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION;
SELECT TABLE_NAME, COLUMN_NAME, TYPE_NAME FROM system.jdbc.columns
WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 'sho_' ESCAPE '\' AND TABLE_NAME LIKE '%' ESCAPE '\' AND COLUMN_NAME LIKE 'i_' ESCAPE '\'
ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION;
SELECT TABLE_SCHEM, TABLE_CATALOG
FROM system.jdbc.schemas
WHERE TABLE_CATALOG = 'lake' AND TABLE_SCHEM LIKE 'sh%' ESCAPE '\'
ORDER BY TABLE_CATALOG, TABLE_SCHEM;
SELECT TABLE_CAT
FROM system.jdbc.catalogs
WHERE TABLE_CAT = 'lake'
ORDER BY TABLE_CAT;
SELECT TABLE_TYPE
FROM system.jdbc.table_types
ORDER BY TABLE_TYPE;
SELECT TYPE_NAME, DATA_TYPE, PRECISION, LITERAL_PREFIX, LITERAL_SUFFIX,
CREATE_PARAMS, NULLABLE, CASE_SENSITIVE, SEARCHABLE, UNSIGNED_ATTRIBUTE,
FIXED_PREC_SCALE, AUTO_INCREMENT, LOCAL_TYPE_NAME, MINIMUM_SCALE, MAXIMUM_SCALE,
SQL_DATA_TYPE, SQL_DATETIME_SUB, NUM_PREC_RADIX
FROM system.jdbc.types
WHERE TYPE_NAME IN ('boolean', 'tinyint', 'smallint', 'integer', 'bigint', 'real', 'double', 'varbinary', 'date', 'array', 'map', 'row')
ORDER BY DATA_TYPE, TYPE_NAME;
SELECT PROCEDURE_CAT, PROCEDURE_SCHEM, PROCEDURE_NAME,
   null, null, null, REMARKS, PROCEDURE_TYPE, SPECIFIC_NAME
FROM system.jdbc.procedures
ORDER BY PROCEDURE_CAT, PROCEDURE_SCHEM, PROCEDURE_NAME, SPECIFIC_NAME LIMIT 0;
SELECT PROCEDURE_CAT, PROCEDURE_SCHEM, PROCEDURE_NAME,   COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, TYPE_NAME,
  PRECISION, LENGTH, SCALE, RADIX,
  NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB,
  CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE, SPECIFIC_NAME
FROM system.jdbc.procedure_columns
ORDER BY PROCEDURE_CAT, PROCEDURE_SCHEM, PROCEDURE_NAME, SPECIFIC_NAME, COLUMN_NAME LIMIT 0;
SELECT * FROM system.jdbc.udts LIMIT 0;
SELECT * FROM system.jdbc.super_types LIMIT 0;
SELECT * FROM system.jdbc.super_tables LIMIT 0;
SELECT * FROM system.jdbc.attributes LIMIT 0;
SELECT * FROM system.jdbc.pseudo_columns LIMIT 0;
SELECT * FROM system.jdbc.columns LIMIT 0;
SELECT * FROM system.jdbc.tables LIMIT 0;
SELECT * FROM system.metadata.materialized_views LIMIT 0;
SELECT * FROM system.metadata.table_comments LIMIT 0;
SELECT * FROM system.metadata.table_properties LIMIT 0;
SELECT * FROM system.metadata.schema_properties LIMIT 0;
SELECT * FROM system.metadata.catalogs LIMIT 0;
SELECT  CAST(NULL AS varchar) TABLE_CAT,  CAST(NULL AS varchar) TABLE_SCHEM,  CAST(NULL AS varchar) TABLE_NAME,  CAST(NULL AS varchar) COLUMN_NAME,  CAST(NULL AS smallint) KEY_SEQ,  CAST(NULL AS varchar) PK_NAME WHERE false;
SELECT
    "column_name",
    "data_type",
    "column_default",
    UPPER("is_nullable") AS "is_nullable"
FROM "information_schema"."columns"
WHERE "table_schema" = 'shop'
    AND "table_name" = 'people'
ORDER BY "ordinal_position" ASC;
SELECT "table_name"
FROM "information_schema"."tables"
WHERE "table_schema" = 'shop'
    AND "table_type" = 'BASE TABLE'
ORDER BY "table_name" ASC;
SELECT "table_name"
FROM "information_schema"."views"
WHERE "table_schema" = 'shop'
ORDER BY 1;
SELECT "comment"
FROM "system"."metadata"."table_comments"
WHERE "catalog_name" = 'lake' AND "schema_name" = 'shop' AND "table_name" = 'people';
SHOW COLUMNS FROM lake.shop.people;
SHOW TABLES FROM lake.shop LIKE '%e%';
SHOW SCHEMAS FROM lake LIKE 'sh%';
SHOW CATALOGS LIKE 'lak%';
DESCRIBE "lake"."shop"."orders";
    select
      t.table_catalog as database,
      t.table_name as name,
      t.table_schema as schema,
      case when mv.name is not null then 'materialized_view'
           when t.table_type = 'BASE TABLE' then 'table'
           when t.table_type = 'VIEW' then 'view'
           else t.table_type
      end as table_type
    from "lake".INFORMATION_SCHEMA.tables t
    left join (
            select * from system.metadata.materialized_views
            where catalog_name = 'lake'
              and schema_name = 'shop') mv
          on mv.catalog_name = t.table_catalog and mv.schema_name = t.table_schema and mv.name = t.table_name
    where t.table_schema = 'shop'
    order by name;
select column_name, data_type
    from "lake".INFORMATION_SCHEMA.columns
    where
      table_catalog = 'lake'
      and table_schema = 'shop'
      and table_name = 'people'
    order by ordinal_position;
with tables as (
            select
        table_catalog as "table_database",
        table_schema as "table_schema",
        table_name as "table_name",
        table_type as "table_type",
        null as "table_owner"
    from "lake".INFORMATION_SCHEMA.tables
    where
        table_schema != 'information_schema'
        and
        ((table_schema = 'shop' and table_name = 'orders') or (table_schema = 'shop' and table_name = 'cities'))
        ),
        columns as (
    select
        table_catalog as "table_database",
        table_schema as "table_schema",
        table_name as "table_name",
        column_name as "column_name",
        ordinal_position as "column_index",
        data_type as "column_type",
        comment as "column_comment"
    from "lake".INFORMATION_SCHEMA.columns
    where
        table_schema != 'information_schema'
        and
        ((table_schema = 'shop' and table_name = 'orders') or (table_schema = 'shop' and table_name = 'cities'))
        ),
        table_comment as (
    select
        catalog_name as "table_database",
        schema_name as "table_schema",
        table_name as "table_name",
        comment as "table_comment"
    from system.metadata.table_comments
    where
        catalog_name = 'lake'
        and
        schema_name != 'information_schema'
        and
        schema_name in ('shop')
        )
        select
            table_database,
            table_schema,
            table_name,
            table_type,
            table_owner,
            column_name,
            column_index,
            column_type,
            column_comment,
            table_comment
        from tables
        join columns using ("table_database", "table_schema", "table_name")
        join table_comment using ("table_database", "table_schema", "table_name")
        order by "column_index", "table_name";
SELECT date_trunc('month', CAST(placed AS TIMESTAMP)) AS __timestamp, status AS status, SUM(amount) AS total, COUNT(*) AS count
FROM shop.orders
WHERE placed >= DATE '2020-01-01' AND placed < DATE '2022-01-01' AND status IN ('open', 'done') GROUP BY date_trunc('month', CAST(placed AS TIMESTAMP)), status ORDER BY total DESC, __timestamp
LIMIT 100;
