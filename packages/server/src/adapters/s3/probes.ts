import { randomBytes } from 'node:crypto'
import { isNoSuchKey, S3Refusal } from './failure.ts'
import type { Found, Probing } from './finding.ts'
import { ageAt, listKeys, putKey, readKey, removeKey, sizeOfKey } from './keys.ts'
import { joinsParts, listsUploads } from './partProbes.ts'
import { inMemory } from './spool.ts'

type Probe = (probing: Probing) => Promise<Found>

const good = (said: string) => ({ outcome: 'good', said }) as const
const note = (said: string) => ({ outcome: 'note', said }) as const
const wrong = (said: string) => ({ outcome: 'wrong', said }) as const

const ROUNDS = 10

const answers: Probe = async ({ client, at }) => {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = randomBytes(1_000)
    const key = `${at}${round}`
    const begun = performance.now()
    await putKey(client, key, inMemory(bytes))
    const got = await read({ client, key, start: 0, end: bytes.length })
    times.push(performance.now() - begun)
    if (!bytes.equals(got)) return wrong('A read right after a write gave other bytes.')
  }
  const median = times.toSorted((one, other) => one - other)[ROUNDS / 2] ?? 0
  const said = `A small object is written and read in ${median.toFixed(0)} ms.`
  return median > 500 ? note(`${said} Chunks will be slow.`) : good(said)
}

const ranges: Probe = async ({ client, at }) => {
  const bytes = randomBytes(1_000)
  const key = `${at}a`
  await putKey(client, key, inMemory(bytes))
  await putKey(client, `${at}empty`, inMemory(new Uint8Array()))
  const middle = await read({ client, key, start: 100, end: 200 })
  const sizes = [
    await sizeOfKey(client, key, 999),
    await sizeOfKey(client, key, 5_000),
    await sizeOfKey(client, `${at}empty`, 0),
  ]
  return bytes.subarray(100, 200).equals(middle) && sizes.join() === '1000,1000,0'
    ? good('Reads of a range, of the last byte, behind the end and of nothing are right.')
    : wrong('Reads of a range or of the last byte are wrong.')
}

const hashes: Probe = async ({ client, at }) => {
  const right = inMemory(Buffer.from('right'))
  try {
    await putKey(client, `${at}a`, { ...right, body: () => Buffer.from('wrong') })
  } catch (error) {
    if (!(error instanceof S3Refusal) || error.code === 'NotImplemented') throw error
    return good(`Bytes with a wrong hash are refused (${error.code}).`)
  }
  return note('Bytes with a wrong hash are taken. The server finds them when it reads the object, not before.')
}

const newOnly: Probe = async ({ client, at }) => {
  const spooled = inMemory(Buffer.from('x'))
  try {
    await putKey(client, `${at}a`, spooled, { onlyNew: true })
    await putKey(client, `${at}a`, spooled, { onlyNew: true })
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error
    if (error.code === 'PreconditionFailed') return good('A second write with If-None-Match is refused.')
    return note(`Writes with If-None-Match are not known (${error.code}). Start the first node alone.`)
  }
  return note('If-None-Match is ignored. Start the first node alone.')
}

const missing: Probe = async ({ client, at }) => {
  const told = await sizeOfKey(client, `${at}none`, 0).then(() => undefined, codeOf)
  if (told === 'NoSuchKey') return good('A missing object is answered NoSuchKey.')
  if (told === 'AccessDenied')
    return wrong('A missing object is answered AccessDenied: the credentials need the right to list the bucket.')
  return wrong(`A missing object is answered ${told ?? 'present'}.`)
}

const forbidden: Probe = async ({ client, stranger, at }) => {
  await putKey(client, `${at}a`, inMemory(Buffer.from('x')))
  const told = [
    await sizeOfKey(stranger, `${at}a`, 0).then(() => 'present', codeOf),
    await sizeOfKey(stranger, `${at}none`, 0).then(() => 'present', codeOf),
  ]
  if (told.includes('present')) return wrong('Objects can be read without the right secret: the bucket is public.')
  return told.includes('NoSuchKey')
    ? wrong('A request with a wrong secret gets the answer that the object is missing.')
    : good(`A request with a wrong secret is refused (${told[0]}).`)
}

const listing: Probe = async ({ client, at }) => {
  const keys = ['a', 'b', 'c'].map((name) => at + name)
  for (const key of keys) await putKey(client, key, inMemory(Buffer.from('x')))
  const listed: string[] = []
  let oldest = 0
  for await (const { key, ageSeconds } of listKeys(client, at)) {
    listed.push(key)
    oldest = Math.max(oldest, ageSeconds)
  }
  if (listed.join() !== keys.join()) return wrong('A listing right after the writes is not complete and in order.')
  return oldest < 120 ? good('Listings are complete and dated.') : wrong(`A new object is listed as ${oldest} s old.`)
}

const removal: Probe = async ({ client, at }) => {
  await putKey(client, `${at}a`, inMemory(Buffer.from('x')))
  for (const _ of [1, 2]) await removeKey(client, `${at}a`)
  const told = await sizeOfKey(client, `${at}a`, 0).then(() => 'present', codeOf)
  return told === 'NoSuchKey'
    ? good('A removed object no longer exists at once.')
    : wrong(`A removed object is ${told}.`)
}

const versions: Probe = async ({ client }) => {
  const { address, sdk } = client
  const input = { Bucket: address.bucket }
  try {
    const { Status } = await client.call({ operation: 'tell its versioning', lane: 'removal' }, (s3, abort) =>
      s3.send(new sdk.GetBucketVersioningCommand(input), abort),
    )
    if (Status === undefined) return good('The bucket keeps no versions.')
    return note(
      `The bucket’s versioning is ${Status}: what the server removes stays and costs, until a lifecycle rule removes old versions. The promised deletion happens only then.`,
    )
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error
    return note(`The store does not tell whether the bucket keeps versions (${error.code}).`)
  }
}

const clock: Probe = async ({ client, at }) => {
  await putKey(client, `${at}a`, inMemory(Buffer.from('x')))
  const { address, sdk } = client
  const input = { Bucket: address.bucket, Prefix: at }
  const page = await client.call({ operation: 'list objects', lane: 'removal' }, (s3, abort) =>
    s3.send(new sdk.ListObjectsV2Command(input), abort),
  )
  const ahead = ageAt(page, new Date(0)) - Date.now() / 1000
  const said = `The store’s clock differs from this machine’s by ${Math.abs(ahead).toFixed(0)} s.`
  return Math.abs(ahead) > 60 ? wrong(`${said} Requests are refused beyond 15 minutes.`) : good(said)
}

interface Reading {
  readonly client: Probing['client']
  readonly key: string
  readonly start: number
  readonly end: number
}

async function read({ client, key, start, end }: Reading): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of readKey(client, key, { start, end }, { lane: 'reads' })) pieces.push(piece)
  return Buffer.concat(pieces)
}

function codeOf(error: unknown): string {
  if (isNoSuchKey(error)) return 'NoSuchKey'
  if (error instanceof S3Refusal) return error.code
  throw error
}

export const PROBES: readonly { readonly probe: string; readonly run: Probe }[] = [
  { probe: 'answers', run: answers },
  { probe: 'ranges', run: ranges },
  { probe: 'checks hashes', run: hashes },
  { probe: 'creates only new', run: newOnly },
  { probe: 'tells missing', run: missing },
  { probe: 'tells forbidden', run: forbidden },
  { probe: 'lists', run: listing },
  { probe: 'removes', run: removal },
  { probe: 'joins parts', run: joinsParts },
  { probe: 'lists uploads', run: listsUploads },
  { probe: 'versions', run: versions },
  { probe: 'clock', run: clock },
]
