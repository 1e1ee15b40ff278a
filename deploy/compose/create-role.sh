#!/usr/bin/env bash
# Makes the role and the database of the gateway, in an empty PostgreSQL.
set -euo pipefail
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" -v password="$(cat /run/secrets/password)" <<'SQL'
create role heliograph login password :'password';
create database heliograph owner heliograph;
SQL
