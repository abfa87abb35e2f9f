/**
 * Fault runs on demand: `npm run faults -- R2 --kills 200 --seed 7`; `--help` lists them.
 * Prints the seed, what was counted, and everything that was found wrong; ends with 1 when there is anything.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runR1a } from './r1a.ts'
import { runR2 } from './r2.ts'
import { runR2a } from './r2a.ts'
import { runR4 } from './r4.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '10' },
    every: { type: 'string', default: '1' },
    hits: { type: 'string', default: '10' },
    guests: { type: 'string', default: '8' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    help: { type: 'boolean', default: false },
  },
})

const USAGE = `Fault runs against the real server, on loopback, with everything that it acknowledged held against what it kept.
  npm run faults -- R1a [--every 1] [--seed S]                kill -9 at every so-maniest write and sync of an adoption, an upload, a deletion (needs strace)
  npm run faults -- R2 [--kills 50] [--guests 8] [--seed S]   kill -9 at random moments under load
  npm run faults -- R2a [--hits 10] [--seed S]                kill -9 among adoptions, until each window was hit so often
  npm run faults -- R4 [--rounds 10] [--guests 8] [--seed S]  the disk runs full and is freed again (needs root, for a small tmpfs)
The seed is printed; the same seed makes the same choices. Ends with 1 when anything was found wrong.`

const tell = (text: string) => console.log(text)

const [id] = positionals
if (values.help || id === undefined) {
  tell(USAGE)
  process.exit(values.help ? 0 : 1)
}
tell(`${id} with seed ${values.seed}`)
switch (id) {
  case 'R1a': {
    const report = await runR1a({ every: Number(values.every), seed: values.seed, tell })
    if ('missing' in report) end([report.missing])
    else {
      tell(JSON.stringify({ ...report, faults: undefined }, undefined, 2))
      end(report.faults)
    }
    break
  }
  case 'R2': {
    const report = await runR2({ kills: Number(values.kills), guests: Number(values.guests), seed: values.seed, tell })
    tell(JSON.stringify({ counts: report.counts, met: report.met }, undefined, 2))
    if (report.log !== '') tell(`the server logged:\n${report.log}`)
    end(report.faults)
    break
  }
  case 'R2a': {
    const { faults, ...report } = await runR2a({ hits: Number(values.hits), seed: values.seed, tell })
    tell(JSON.stringify(report, undefined, 2))
    end(faults)
    break
  }
  case 'R4': {
    const report = await runR4({
      rounds: Number(values.rounds),
      guests: Number(values.guests),
      seed: values.seed,
      tell,
    })
    if ('missing' in report) end([report.missing])
    else {
      tell(JSON.stringify({ ...report, log: undefined }, undefined, 2))
      if (report.log !== '') tell(`the server logged:\n${report.log}`)
      end(report.faults)
    }
    break
  }
  default:
    console.error(USAGE)
    process.exitCode = 2
}

function end(faults: readonly string[]): void {
  for (const fault of faults) tell(`FAULT ${fault}`)
  tell(faults.length === 0 ? 'nothing was found wrong' : `${faults.length} faults, seed ${values.seed}`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
