/** The server’s verdicts. It may say no without knowing, but never a false yes. */
import { randomBytes } from 'node:crypto'
import type { BlobVerdictResponse, StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { jsonOf } from '../api.ts'
import type { Asset, Owner } from '../ledger.ts'
import { sha256 } from '../random.ts'
import { acknowledgedBlobsOf, blobsOf, describeAsset } from './assetLedger.ts'
import { compareBlob, type LookPorts } from './compare.ts'

export interface Asked {
  readonly asset: Asset
  readonly hashes: readonly string[]
}

type Verdict = StorageVerifyResponse['verdicts'][number]

/** All blobs of the last bundle that are acknowledged or may exist. */
export function askedOf(asset: Asset): Asked {
  const last = asset.bundles.at(-1)
  const hashes = (last === undefined ? [] : blobsOf(last))
    .filter(({ landed }) => landed !== 'no')
    .map(({ hash }) => hash)
  return { asset, hashes: hashes.length === 0 ? [unknownHash()] : hashes }
}

/** A hash that no asset has. */
export function unknownHash(): string {
  return sha256(randomBytes(32))
}

/**
 * Undefined when there was no answer. The caller must not change the assets meanwhile. A no is not judged if the server
 * may have been unable to know (specification, StorageVerdictResponse: durable is false whenever it cannot say
 * otherwise); a yes beside it is.
 */
export async function verify(
  ports: Pick<LookPorts, 'api' | 'ledger'>,
  asked: readonly Asked[],
  { owner, deep }: { readonly owner: Pick<Owner, 'token'>; readonly deep: boolean },
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
    ledger.fault('the verdicts are of other assets than requested')
  for (const [index, verdict] of verdicts.entries()) {
    const each = asked[index]
    if (each === undefined || (reply.mayDoubt === true && !verdict.durable)) continue
    ledger.counts.verdicts++
    for (const fault of verdictFaults(each, verdict, deep))
      ledger.fault(`${fault}, ${JSON.stringify(verdict)}: ${describeAsset(each.asset)}`)
  }
  return verdicts
}

/** Downloads every blob that the server called durable. */
export async function compareDurable(ports: LookPorts, verdicts: readonly Verdict[], owner: Owner): Promise<void> {
  for (const { blobs } of verdicts.filter(({ durable }) => durable))
    for (const { hash } of blobs) await compareBlob(ports, owner, hash)
}

function verdictFaults({ asset, hashes }: Asked, { durable, blobs }: Verdict, deep: boolean): readonly string[] {
  const acknowledged = new Map(acknowledgedBlobsOf(asset).map(({ hash, role }) => [hash, role]))
  const asked = new Map((asset.bundles.at(-1) === undefined ? [] : askedOf(asset).hashes).map((hash) => [hash, true]))
  const mustBeDurable = asset.deleted === 'no' && hashes.every((hash) => acknowledged.has(hash))
  const mayBeDurable = asset.deleted !== 'acknowledged' && hashes.every((hash) => asked.has(hash))
  const rules: readonly (readonly [boolean, string])[] = [
    [blobs.map(({ hash }) => hash).join() !== hashes.join(), 'a verdict is of other hashes than requested'],
    [durable !== blobs.every(isWhole), 'durable is not the conjunction over the requested blobs'],
    [mustBeDurable && !durable, 'an acknowledged blob is not durable'],
    [!mayBeDurable && durable, 'a blob that cannot exist is durable'],
    [mustBeDurable && blobs.some(({ hash, role }) => acknowledged.get(hash) !== role), 'a role is wrong'],
    [blobs.some((blob) => !isDeepAsAsked(blob, deep)), 'the deep verdict does not match the request'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
}

function isWhole({ stored, indexed, retrievable }: BlobVerdictResponse): boolean {
  return stored && indexed && retrievable
}

/** A busy server may answer `rate_limited` instead of a scan. */
function isDeepAsAsked({ deep, stored }: BlobVerdictResponse, isAsked: boolean): boolean {
  const isScanned = deep === 'intact' || deep === 'rate_limited'
  return isAsked && stored ? isScanned : (deep ?? undefined) === undefined
}
