"""Runs in Superset's own environment: what its pages ask of a Trino database, by its TrinoEngineSpec. Prints JSON.

python ask.py trino://user:password@host:port/catalog schema table view certificate
"""

import datetime
import json
import os
import sys
import tempfile

FOLDER = tempfile.mkdtemp()
CONFIG = f"""
SECRET_KEY = "of a test"
SQLALCHEMY_DATABASE_URI = "sqlite:///{FOLDER}/superset.db"
TALISMAN_ENABLED = False
"""


def main(uri: str, schema: str, table: str, view: str, certificate: str) -> dict:
    with open(f"{FOLDER}/superset_config.py", "w") as config:
        config.write(CONFIG)
    os.environ["SUPERSET_CONFIG_PATH"] = f"{FOLDER}/superset_config.py"
    from superset.app import create_app

    app = create_app()
    with app.app_context():
        from flask_appbuilder import Model
        from sqlalchemy import event
        from sqlalchemy.engine import Engine
        from superset import db
        from superset.connectors.sqla.models import SqlaTable, SqlMetric
        from superset.db_engine_specs.trino import TrinoEngineSpec
        from superset.models.core import Database
        from superset.sql.parse import Table

        sent: list[str] = []

        @event.listens_for(Engine, "before_cursor_execute")
        def before(connection, cursor, statement, *_):
            if connection.dialect.name == "trino":
                sent.append(statement)

        Model.metadata.create_all(db.engine)
        extra = {"engine_params": {"connect_args": {"http_scheme": "https", "verify": certificate}}}
        database = Database(database_name="sqe", sqlalchemy_uri=uri, extra=json.dumps(extra))
        database.set_sqlalchemy_uri(uri)
        db.session.add(database)
        db.session.commit()
        assert database.db_engine_spec is TrinoEngineSpec
        catalog = database.get_default_catalog()
        seen = Table(table, schema)
        told = {
            "catalog": catalog,
            "catalogs": sorted(database.get_all_catalog_names()),
            "schemas": sorted(database.get_all_schema_names(catalog=catalog)),
            "tables": sorted(name for name, *_ in database.get_all_table_names_in_schema(catalog, schema)),
            "views": sorted(name for name, *_ in database.get_all_view_names_in_schema(catalog, schema)),
            "columns": [[str(column["column_name"]), str(column["type"])] for column in database.get_columns(seen)],
            "indexes": database.get_indexes(seen),
            "primary_key": database.get_pk_constraint(seen),
            "foreign_keys": database.get_foreign_keys(seen),
            "comment": database.get_table_comment(seen),
            "view": TrinoEngineSpec.get_extra_table_metadata(database, Table(view, schema)).get("view"),
            "functions": len(database.function_names),
            "star": database.select_star(Table(table, schema), limit=2, show_cols=True),
        }
        told["star_rows"] = len(database.get_df(told["star"], catalog, schema))

        # A dataset with a time column, and the query that a bar chart by month makes of it.
        dataset = SqlaTable(table_name=table, schema=schema, catalog=catalog, database=database)
        db.session.add(dataset)
        dataset.fetch_metadata()
        dataset.metrics.append(SqlMetric(metric_name="total", expression="SUM(amount)"))
        db.session.commit()
        chart = {
            "granularity": "placed",
            "from_dttm": datetime.datetime(2020, 1, 1),
            "to_dttm": datetime.datetime(2021, 1, 1),
            "is_timeseries": True,
            "groupby": ["status"],
            "columns": ["status"],
            "metrics": ["total", "count"],
            "filter": [{"col": "status", "op": "IN", "val": ["open", "done"]}],
            "orderby": [["total", False]],
            "row_limit": 100,
            "extras": {"time_grain_sqla": "P1M"},
        }
        result = dataset.query(chart)
        assert result.error_message is None, result.error_message
        frame = result.df
        told["chart"] = json.loads(frame.to_json(orient="split", date_format="iso", default_handler=str))
        told["chart_sql"] = result.query
        told["sent"] = sent
        return told


if __name__ == "__main__":
    answer = main(*sys.argv[1:])
    print("ANSWER " + json.dumps(answer, default=str))
