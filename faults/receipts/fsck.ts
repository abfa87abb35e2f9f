/** The operator's fsck on copies of the database that are altered in one place. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CommandOutcome, runCommand } from '../../testing/command.ts'
import type { Random } from '../harness/random.ts'
import { databaseOf, type LogEntry } from './log.ts'

interface Alteration {
  readonly what: string
  /** What the findings must name: a receipt's number, or a key's id. */
  readonly places: readonly (number | string)[]
  readonly alter: (database: DatabaseSync) => void
}

/** Faults as sentences: fsck must find nothing in the original, and must find each of `count` alterations. */
export async function fsckAltered(
  dataDirectory: string,
  { log, count, random }: { readonly log: readonly LogEntry[]; readonly count: number; readonly random: Random },
): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-fsck-'))
  const path = join(directory, 'altered.sqlite')
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDirectory, DATABASE_URL: `sqlite:${path}` }
  const fsck = async (alter: Alteration['alter']): Promise<CommandOutcome> => {
    await copyFile(databaseOf(dataDirectory), path)
    const database = new DatabaseSync(path)
    alter(database)
    // Closing the last connection moves the write-ahead log into the file, so that no log is left for the next copy.
    database.close()
    return runCommand(['fsck', '--json'], { cwd: directory, env })
  }
  try {
    const whole = await fsck(() => undefined)
    const faults = whole.status === 0 ? [] : [`fsck ends with ${whole.status} for a good log: ${sayingOf(whole)}`]
    for (let index = 0; index < count; index++) {
      const alteration = alterationOf(index, log, random)
      const outcome = await fsck(alteration.alter)
      if (outcome.status !== 1 || !names(outcome, alteration.places))
        faults.push(`${alteration.what}, and fsck ends with ${outcome.status}: ${sayingOf(outcome)}`)
    }
    return faults
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function alterationOf(index: number, log: readonly LogEntry[], random: Random): Alteration {
  const at = random.integer(1, log.length - 2)
  const [chosen, next] = [log[at], log[at + 1]]
  if (chosen === undefined || next === undefined) throw new Error('a log of fewer than three receipts')
  const { receiptSeq: seq, keyId } = chosen
  const setBytes = 'update receipts set receipt_cbor = ? where receipt_seq = ?'
  const bytes = Buffer.from(chosen.receiptCbor, 'base64')
  const byte = random.integer(0, bytes.length - 1)
  const alterations: readonly Alteration[] = [
    {
      what: `byte ${byte} of receipt ${seq} was altered`,
      places: [seq],
      alter(database) {
        bytes[byte] = (bytes[byte] ?? 0) ^ random.integer(1, 255)
        database.prepare(setBytes).run(bytes, seq)
      },
    },
    {
      what: `receipt ${seq} was dropped`,
      places: [next.receiptSeq],
      alter: (database) => void database.prepare('delete from receipts where receipt_seq = ?').run(seq),
    },
    {
      what: `receipts ${seq} and ${next.receiptSeq} were swapped`,
      places: [seq, next.receiptSeq],
      alter(database) {
        const swap = database.prepare(setBytes)
        swap.run(Buffer.from(next.receiptCbor, 'base64'), seq)
        swap.run(bytes, next.receiptSeq)
      },
    },
    {
      what: `the key of receipt ${seq} began after it`,
      places: [seq],
      alter(database) {
        const begin = database.prepare('update attestation_keys set active_from = ? where key_id = ?')
        begin.run(chosen.receivedAt + 1, keyId)
      },
    },
  ]
  return alterations[index % alterations.length] ?? random.pick(alterations)
}

interface Finding {
  readonly where: Readonly<Record<string, unknown>>
}

function names({ stdout }: CommandOutcome, places: readonly (number | string)[]): boolean {
  const { findings }: { readonly findings: readonly Finding[] } = JSON.parse(stdout)
  const named = new Set(findings.flatMap(({ where }) => Object.values(where)))
  return places.every((place) => named.has(place))
}

const sayingOf = ({ stdout, stderr }: CommandOutcome): string => `${stderr}${stdout}`.slice(0, 2_000)
