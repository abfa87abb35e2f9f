/** Benchmarks on demand: `npm run bench -- P3 P6 --rounds 7`; `--help` lists them. Prints what was measured; no time makes it fail. */
import { parseArgs } from 'node:util'
import { ROWS, runRows } from './runRows.ts'
import { tableOf } from './table.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const USAGE = `Benchmarks of the real server on loopback, each beside a peer or a limit measured in the same run.
  npm run bench -- [row …] [--rounds 5] [--quick] [--json]
${ROWS.map(({ ids, what }) => `  ${ids.join(', ').padEnd(8)} ${what}`).join('\n')}
Without rows, all. --quick takes small sizes and one round: that it works, not how fast it is. --json gives the report to programs.
Files are written to TMPDIR, about 4 GiB at most, and removed. P11 takes the pages that are built, or those of PAGES_DIR. Ends with 1 when a row could not be measured.`

const unknown = positionals.filter((id) => !ROWS.some(({ ids }) => ids.includes(id)))
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
if (values.help) console.log(USAGE)
else if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(USAGE)
  process.exitCode = 2
} else await bench()

async function bench(): Promise<void> {
  // So that what runs beside this process, and what it wrote, goes with it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const rows = ROWS.filter(({ ids }) => positionals.length === 0 || ids.some((id) => positionals.includes(id)))
  const report = await runRows({ rows, rounds, isQuick: values.quick, tell: (text) => console.error(text) })
  console.log(values.json ? JSON.stringify(report, undefined, 2) : tableOf(report))
  if (report.failures.length > 0) process.exitCode = 1
}
