/** The server’s word that it holds what an owner relies on. It may be a no for want of knowledge, and never a yes that is not true. */
import { randomBytes } from 'node:crypto'
import type { BlobVerdictResponse, StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { jsonOf } from '../api.ts'
import type { Owner } from '../ledger.ts'
import { sha256 } from '../random.ts'
import { type Asset, blobsOf, describeAsset, heldBy } from './assetLedger.ts'
import { compareBlob, type LookPorts } from './look.ts'

export interface Asked {
  readonly asset: Asset
  readonly hashes: readonly string[]
}

type Verdict = StorageVerifyResponse['verdicts'][number]

/** Everything that was acknowledged, and what may be there. */
export function askedOf(asset: Asset): Asked {
  const last = asset.bundles.at(-1)
  const hashes = (last === undefined ? [] : blobsOf(last))
    .filter(({ landed }) => landed !== 'no')
    .map(({ hash }) => hash)
  return { asset, hashes: hashes.length === 0 ? [unheldHash()] : hashes }
}

/** Of something that no asset has. */
export function unheldHash(): string {
  return sha256(randomBytes(32))
}

/** Undefined when there was no answer. Nobody may change the assets meanwhile. */
export async function verify(
  ports: LookPorts,
  asked: readonly Asked[],
  { owner, deep }: { readonly owner: Owner; readonly deep: boolean },
): Promise<readonly Verdict[] | undefined> {
  const { api, ledger } = ports
  const json = { assets: asked.map(({ asset, hashes }) => ({ asset_id: asset.assetId, blob_hashes: hashes })), deep }
  const reply = await api.ask({ method: 'POST', path: '/v1/storage/verify', token: owner.token, json })
  if (reply === undefined) return undefined
  if (reply.status !== 200) {
    ledger.fault(`a verification was answered ${reply.status} ${reply.code}`)
    return undefined
  }
  const { verdicts } = jsonOf<StorageVerifyResponse>(reply)
  if (verdicts.map(({ asset_id }) => asset_id).join() !== asked.map(({ asset }) => asset.assetId).join())
    ledger.fault('verdicts are of other assets than was asked')
  for (const [index, verdict] of verdicts.entries()) {
    const each = asked[index]
    if (each === undefined) continue
    ledger.counts.verdicts++
    for (const fault of verdictFaults(each, verdict, deep))
      ledger.fault(`${fault}, ${JSON.stringify(verdict)}: ${describeAsset(each.asset)}`)
  }
  return verdicts
}

/** Bytes that the server has called durable are there, and are the right ones. */
export async function compareDurable(ports: LookPorts, verdicts: readonly Verdict[], owner: Owner): Promise<void> {
  for (const { blobs } of verdicts.filter(({ durable }) => durable))
    for (const { hash } of blobs) await compareBlob(ports, owner, hash)
}

function verdictFaults({ asset, hashes }: Asked, { durable, blobs }: Verdict, deep: boolean): readonly string[] {
  const acknowledged = new Map(heldBy(asset).map(({ hash, role }) => [hash, role]))
  const asked = new Map((asset.bundles.at(-1) === undefined ? [] : askedOf(asset).hashes).map((hash) => [hash, true]))
  const mustBeDurable = asset.deleted === 'no' && hashes.every((hash) => acknowledged.has(hash))
  const mayBeDurable = asset.deleted !== 'acknowledged' && hashes.every((hash) => asked.has(hash))
  const rules: readonly (readonly [boolean, string])[] = [
    [blobs.map(({ hash }) => hash).join() !== hashes.join(), 'a verdict is of other hashes than was asked'],
    [durable !== blobs.every(isWhole), 'durable is not the conjunction over what was asked'],
    [mustBeDurable && !durable, 'what was acknowledged is not durable'],
    [!mayBeDurable && durable, 'what cannot be there is durable'],
    [mustBeDurable && blobs.some(({ hash, role }) => acknowledged.get(hash) !== role), 'a role is another'],
    [blobs.some((blob) => !isDeepAsAsked(blob, deep)), 'the deep verdict is not what was asked for'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
}

function isWhole({ stored, indexed, retrievable }: BlobVerdictResponse): boolean {
  return stored && indexed && retrievable
}

/** A busy machine may not get to it: then it says so. */
function isDeepAsAsked({ deep, stored }: BlobVerdictResponse, isAsked: boolean): boolean {
  const isScanned = deep === 'intact' || deep === 'rate_limited'
  return isAsked && stored ? isScanned : (deep ?? undefined) === undefined
}
