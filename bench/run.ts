/** Benchmarks on demand: `npm run bench -- receipts P6 --rounds 7`; `--help` lists them. Slow figures never fail. */
import { argumentsOf } from '../tools/arguments.ts'
import type { Row } from './row.ts'
import { ROWS, runRows } from './runRows.ts'
import { tableOf } from './table.ts'

const USAGE = `Benchmarks of the real server on loopback, each compared with a peer or a limit measured in the same run.
  npm run bench -- [row …] [--rounds 5] [--quick] [--json]
${ROWS.map(({ name, ids, what, isLarge }) => `${isLarge ? '*' : ' '} ${name.padEnd(18)} ${ids.join(', ').padEnd(8)} ${what}`).join('\n')}
A row is named by its name or one of its ids; without any, all rows run but those marked with *: they take many minutes, and P7 writes 22 GB. --quick uses small sizes, one round and the same servers for all rows, to show that they work. --json prints the report as JSON.
The rows write at most about 4 GiB to TMPDIR, and remove it. browser-upload uses the built pages, or those of PAGES_DIR. Exits with 1 when a row could not be measured.`

const { positionals, values } = argumentsOf(
  USAGE,
  {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const isNamed = ({ name, ids }: Row, text: string) => name === text || ids.includes(text)
const unknown = positionals.filter((text) => !ROWS.some((row) => isNamed(row, text)))
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(USAGE)
  process.exitCode = 2
} else await bench()

async function bench(): Promise<void> {
  // `exit` listeners stop the other processes and remove the files.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const rows = ROWS.filter((row) =>
    positionals.length === 0 ? !row.isLarge : positionals.some((text) => isNamed(row, text)),
  )
  const report = await runRows({ rows, rounds, isQuick: values.quick, print: (text) => console.error(text) })
  console.log(values.json ? JSON.stringify(report, undefined, 2) : tableOf(report))
  if (report.failures.length > 0) process.exitCode = 1
}
