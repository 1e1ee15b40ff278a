import { expect, it } from 'vitest';
import { lockOf } from '../../../src/db/plan/lock-of.ts';

it.each([
  ['create table a (id int)', null, 'none', 'moment'],
  ['create table a_p1 partition of a for values from (1) to (2)', 'a', 'everything', 'moment'],
  ['create index on a (b)', 'a', 'writes', 'scan'],
  ['create unique index concurrently a_b on a (b)', 'a', 'changes of the table', 'scan'],
  ['drop index a_b', 'a_b', 'everything', 'moment'],
  ['alter table a add column b int null', 'a', 'everything', 'moment'],
  [`alter table a add b text not null default 'x, (y)', add c int`, 'a', 'everything', 'moment'],
  ['alter table a add b timestamptz not null default now()', 'a', 'everything', 'moment'],
  ['alter table a add b uuid not null default gen_random_uuid()', 'a', 'everything', 'rewrite'],
  ['alter table a alter column b type bigint', 'a', 'everything', 'rewrite'],
  ['alter table a alter column b set not null', 'a', 'everything', 'scan'],
  ['alter table a add constraint c check (b > 0)', 'a', 'everything', 'scan'],
  ['alter table a add constraint c check (b > 0) not valid', 'a', 'everything', 'moment'],
  ['alter table a validate constraint c', 'a', 'changes of the table', 'scan'],
  ['alter table a add foreign key (b) references c (id)', 'a', 'writes', 'scan'],
  ['alter table a drop b, alter column c type text', 'a', 'everything', 'rewrite'],
  ['update a set b = 1', 'a', 'changes of the table', 'scan'],
  ['lock table a in exclusive mode', 'a', 'writes', 'moment'],
  ['alter table a cluster on b', 'a', 'unknown', 'unknown'],
  ['vacuum full a', null, 'unknown', 'unknown'],
])('the lock of %s is told', (statement, table, lock, work) => {
  expect(lockOf(statement)).toMatchObject({ table, lock, work });
});
