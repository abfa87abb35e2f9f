/** Unknown, foreign, ended and deleted things look alike: all answers of a call must be the same. */
import { randomBytes, randomUUID } from 'node:crypto'
import { deleteAsset, landBlob, newAuthor, newBundle, openUpload } from '../../../conformance/assetWorld.ts'
import type { Call } from '../../../conformance/call.ts'
import type { Client } from '../../../conformance/client.ts'
import { fingerprint } from '../../../conformance/expect.ts'
import {
  asOwner,
  cancel,
  declaration,
  inboxOf,
  land,
  newLink,
  newOpaqueId,
  openSession,
  provision,
  revoke,
  sha256,
  soon,
  untilExpired,
} from '../../../conformance/world.ts'
import type { Random } from '../../harness/random.ts'

interface Hidden {
  readonly name: string
  readonly ids: readonly (() => string)[]
  readonly calls: readonly ((id: string) => Call)[]
}

const fixed = (ids: readonly string[]) => ids.map((id) => () => id)

/** Returns one fault for each call whose answers differ. */
export async function lookForHidden(
  client: Client,
  { samples, random }: { readonly samples: number; readonly random: Random },
): Promise<readonly string[]> {
  const all = [await links(client), await sessions(client), await drops(client), await assets(client)]
  const looks = new Map<string, Set<string>>()
  for (let sample = 0; sample < samples; sample++) {
    const { name, ids, calls } = random.pick(all)
    const index = random.integer(0, calls.length - 1)
    const call = calls[index]?.(random.pick(ids)())
    if (call === undefined) continue
    const key = `${name}, ${call.method} number ${index}`
    looks.set(key, (looks.get(key) ?? new Set<string>()).add(fingerprint(await client.send(call))))
  }
  const differing = [...looks].filter(([, seen]) => seen.size > 1)
  return differing.map(([key, seen]) => `${key}: the answers differ:\n${[...seen].join('\n----\n')}`)
}

async function links(client: Client): Promise<Hidden> {
  const { owner } = await newLink(client)
  const [revoked, expired, spent] = [
    await provision(owner),
    await provision(owner, { expires_at: soon() }),
    await provision(owner, { single_use: true }),
  ]
  await land(spent)
  await revoke(revoked)
  await untilExpired(expired)
  const json = declaration(randomBytes(9))
  return {
    name: 'links',
    ids: [newOpaqueId, ...fixed([revoked, expired, spent].map(({ opaqueId }) => opaqueId)), () => 'malformed'],
    calls: [
      (id) => ({ method: 'GET', path: `/d/${id}` }),
      (id) => ({ method: 'POST', path: `/d/${id}`, json }),
      (id) => ({ method: 'HEAD', path: `/d/${id}/${randomUUID()}` }),
    ],
  }
}

/** Upload sessions of a guest and of an account. */
async function sessions(client: Client): Promise<Hidden> {
  const [author, other] = [await newAuthor(client), await newAuthor(client)]
  const link = await provision(author.owner)
  const [cancelled, foreign] = [await openUpload(newBundle(author)), await openUpload(newBundle(other))]
  const [ended, elsewhere] = [
    await openSession(link, randomBytes(9)),
    await openSession(await newLink(client), randomBytes(9)),
  ]
  await cancel(cancelled)
  await cancel(ended)
  const { token } = author.owner
  return {
    name: 'sessions',
    ids: [randomUUID, ...fixed([cancelled, foreign, ended, elsewhere].map(({ uploadId }) => uploadId))],
    calls: [
      (id) => ({ method: 'HEAD', path: `/v1/upload/${id}`, token }),
      (id) => ({ method: 'DELETE', path: `/v1/upload/${id}`, token }),
      (id) => ({ method: 'HEAD', path: `/d/${link.opaqueId}/${id}` }),
      (id) => ({ method: 'DELETE', path: `/d/${link.opaqueId}/${id}` }),
      (id) => ({ method: 'GET', path: `/d/${link.opaqueId}/${id}/receipt` }),
    ],
  }
}

async function drops(client: Client): Promise<Hidden> {
  const [link, foreign] = [await newLink(client), await newLink(client)]
  await land(link)
  await land(foreign)
  const [[discarded], [elsewhere]] = [await inboxOf(link.owner), await inboxOf(foreign.owner)]
  if (discarded === undefined || elsewhere === undefined) throw new Error('two drops have landed')
  await asOwner(link.owner, 'DELETE', `/v1/drops/${discarded.drop_id}`)
  const { token } = link.owner
  return {
    name: 'drops',
    ids: [randomUUID, ...fixed([discarded.drop_id, elsewhere.drop_id])],
    calls: [
      (id) => ({ method: 'GET', path: `/v1/drops/${id}/content`, token }),
      (id) => ({ method: 'HEAD', path: `/v1/drops/${id}/content`, token }),
      (id) => ({ method: 'DELETE', path: `/v1/drops/${id}`, token }),
    ],
  }
}

async function assets(client: Client): Promise<Hidden> {
  const [author, other] = [await newAuthor(client), await newAuthor(client)]
  const [foreign, deleted, reserved] = [newBundle(other), newBundle(author), newBundle(author)]
  for (const bundle of [foreign, deleted]) await landBlob(bundle)
  await openUpload(reserved)
  await deleteAsset(deleted)
  const { token } = author.owner
  const hashes = new Map([foreign, deleted, reserved].map(({ assetId, original }) => [assetId, sha256(original)]))
  const hashOf = (id: string) => hashes.get(id) ?? sha256(Buffer.from(id))
  return {
    name: 'assets',
    ids: [randomUUID, ...fixed([...hashes.keys()])],
    calls: [
      (id) => ({ method: 'GET', path: `/v1/assets/${id}`, token }),
      (id) => ({ method: 'DELETE', path: `/v1/assets/${id}`, token }),
      (id) => ({ method: 'GET', path: `/v1/assets/${id}/receipts`, token }),
      (id) => ({ method: 'GET', path: `/v1/blob/${hashOf(id)}`, token }),
    ],
  }
}
