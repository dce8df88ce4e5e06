import { cpus, release } from 'node:os'
import type { Workload } from './workload'
import { w1 } from './w1'
import { w2 } from './w2'
import { w3 } from './w3'
import { w4 } from './w4'
import { w5 } from './w5'
import { w6 } from './w6'
import { w7 } from './w7'
import { serveClients } from './w7-clients'
import { w8, w8Live } from './w8'
import { w9 } from './w9'
import { bootWithParked, w10 } from './w10'
import { w11 } from './w11'
import { w12 } from './w12'
import { w15 } from './w15'

/**
 * `npm run bench` runs all of them, `npm run bench -- W1 W3` some, `W8` both halves of it, `W8-LIVE` one. Figures for people; nothing is
 * judged by them.
 */
const workloads: readonly Workload[] = [w1, w2, w3, w4, w5, w6, w7, w8, w8Live, w9, w10, w11, w12, w15]

// The half of W10 that needs a process of its own.
if (process.argv[2] === 'W10:BOOT') {
  process.stdout.write(JSON.stringify(await bootWithParked(process.argv[3]!)))
  process.exit(0)
}

// The readers of W7, which have a process of their own.
if (process.argv[2] === 'W7:CLIENTS') {
  serveClients()
  await new Promise<never>(() => {})
}

const wanted = process.argv.slice(2).map((name) => name.toUpperCase())
const isMeant = (name: string, { id }: Workload) => id === name || id.startsWith(`${name}-`)
const unknown = wanted.filter((name) => !workloads.some((workload) => isMeant(name, workload)))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}; there are ${workloads.map(({ id }) => id).join(', ')}.\n`,
  )
  process.exit(2)
}

process.stdout.write(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Linux ${release()}; SQLite at synchronous=FULL\n`,
)
for (const workload of workloads) {
  if (wanted.length > 0 && !wanted.some((name) => isMeant(name, workload))) continue
  process.stdout.write(`\n${workload.id}  ${workload.title}\n`)
  for await (const row of await workload.run()) {
    const ratio = row.ratio === null ? '' : `  ratio ${row.ratio.toFixed(2)}`
    process.stdout.write(
      `  ${row.name.padEnd(34)} ${row.figure.padEnd(34)} limit ${row.limit.padEnd(24)}${ratio}  goal ${row.goal}\n`,
    )
  }
}
