/**
 * What this browser keeps for samples: how blobs begin that it has sealed or read to their end, and what its samples of
 * the account found. Hashes, ids and numbers that the server knows, no names; under hashes of the account key, so that
 * without it nothing can be found for an account. Best effort: it stays after a sign-out.
 */
import type { Owner, PrefixStore } from '@blindkeep/client/owner'
import type { SampleRecord } from '@blindkeep/client/verify'
import { utf8 } from '@blindkeep/protocol/bytes'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/storage/withDatabase.ts'
import { hashUnder } from './seenByBrowser.ts'

type OfAccount = Pick<Owner, 'accountKey'>

interface SampleDatabase extends DBSchema {
  readonly beginnings: { key: string; value: string }
  readonly runs: { key: string; value: readonly SampleRecord[] }
}

const DATABASE = 'blindkeep-samples'
const VERSION = 1
const BEGINNING_LABEL = 'blindkeep/sample-beginning/1\0'
const RUNS_LABEL = 'blindkeep/sample-runs/1\0'
/** The oldest give way. */
const MAX_RUNS = 50

export function prefixStoreOf({ accountKey }: OfAccount): PrefixStore {
  const keyOf = (blob: string) => hashUnder(BEGINNING_LABEL, accountKey, utf8(blob))
  return {
    async load(blob) {
      const key = await keyOf(blob)
      return await withSamples((database) => database.get('beginnings', key)).catch(() => undefined)
    },
    async save(blob, prefix) {
      const key = await keyOf(blob)
      await withSamples((database) => database.put('beginnings', prefix, key))
    },
  }
}

/** The newest first; none if the browser stores nothing. */
export async function sampleRunsOf({ accountKey }: OfAccount): Promise<readonly SampleRecord[]> {
  const key = await hashUnder(RUNS_LABEL, accountKey)
  return (await withSamples((database) => database.get('runs', key)).catch(() => undefined)) ?? []
}

/** One transaction: two tabs may add to one record. */
export async function keepSampleRun({ accountKey }: OfAccount, run: SampleRecord): Promise<void> {
  const key = await hashUnder(RUNS_LABEL, accountKey)
  await withSamples(async (database) => {
    const changing = database.transaction('runs', 'readwrite')
    await changing.store.put([run, ...((await changing.store.get(key)) ?? [])].slice(0, MAX_RUNS), key)
    await changing.done
  }).catch(() => undefined)
}

function withSamples<Result>(use: (database: IDBPDatabase<SampleDatabase>) => Promise<Result>): Promise<Result> {
  const create = (fresh: IDBPDatabase<SampleDatabase>) => {
    fresh.createObjectStore('beginnings')
    fresh.createObjectStore('runs')
  }
  return withDatabase<SampleDatabase, Result>({ name: DATABASE, version: VERSION, create }, use)
}
