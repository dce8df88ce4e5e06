// `node --import` of this file: the process kills itself the nth time that it comes to a named place, FAILPOINT=PLACE:N.
//   statement       between two statements of a script: amid a migration
//   before_commit   all rows are written, and their transaction is not committed
//   after_commit    it is, and no caller knows
//   after_publish   callers were answered in the same turn of the event loop
import { createRequire } from 'node:module'
import { join } from 'node:path'

const Database = createRequire(join(process.cwd(), 'package.json'))('better-sqlite3')
const [place, count] = (process.env.FAILPOINT ?? '').split(':')
let left = Number(count)

function pass(name) {
  if (name === place && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const { exec, transaction } = Database.prototype

Database.prototype.exec = function execInSteps(script) {
  for (const statement of script.split(/;\s*\n/)) {
    if (statement.trim() === '') continue
    exec.call(this, statement)
    pass('statement')
  }
  return this
}

Database.prototype.transaction = function transactionWithPlaces(work) {
  const whole = transaction.call(this, (...args) => {
    const result = work(...args)
    pass('before_commit')
    return result
  })
  const placed = (run) =>
    function committed(...args) {
      const result = run.apply(this, args)
      pass('after_commit')
      setImmediate(pass, 'after_publish')
      return result
    }
  const { deferred, immediate, exclusive } = whole
  return Object.assign(placed(whole), {
    deferred: placed(deferred),
    immediate: placed(immediate),
    exclusive: placed(exclusive),
  })
}
