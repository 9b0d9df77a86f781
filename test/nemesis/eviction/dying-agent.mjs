// Loaded into the agent before its own code. The pressure of the kernel is that of a file, and the
// process ends (kill -9) at one of its commits: `die` has its number and `before` or `after`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const folder = process.env.NEMESIS_FOLDER;
const orders = join(folder, 'die');
const read = fs.readFileSync;
fs.readFileSync = (path, ...options) =>
  read(path === '/proc/pressure/memory' ? join(folder, 'pressure') : path, ...options);
syncBuiltinESMExports();

let passed = 0;
let isInTransaction = false;

function end() {
  fs.rmSync(orders);
  process.kill(process.pid, 'SIGKILL');
}

function commit(write) {
  if (!fs.existsSync(orders)) {
    passed = 0;
    return write();
  }
  const [number, moment] = read(orders, 'utf8').split(' ');
  passed += 1;
  const isTheOne = passed >= Number(number);
  if (isTheOne && moment === 'before') end();
  const result = write();
  if (isTheOne) end();
  return result;
}

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  if (sql.startsWith('BEGIN IMMEDIATE')) isInTransaction = true;
  if (sql === 'ROLLBACK' || sql === 'COMMIT') isInTransaction = false;
  return sql === 'COMMIT' ? commit(() => exec.call(this, sql)) : exec.call(this, sql);
};
const { run } = StatementSync.prototype;
StatementSync.prototype.run = function (...values) {
  return isInTransaction ? run.apply(this, values) : commit(() => run.apply(this, values));
};
