/** Adoptions, and how answers are judged. Without one: a claim, an asset, or nothing. */
import type { AdoptResponse, AssetResponse } from '@blindkeep/protocol/schemas/assets'
import { jsonOf, pause, type Reply } from '../api.ts'
import { type Adoption, type Asset, type Attempt, describeAttempt, type Owner } from '../ledger.ts'
import type { OwnerPorts } from '../owner.ts'
import { isRefusedForSpace } from '../uploadRules.ts'
import { isAdopted, newBlob } from './assetLedger.ts'
import { adoptionBody } from './author.ts'

export type AssetPorts = Pick<OwnerPorts, 'api' | 'ledger' | 'moments' | 'isDiskTroubled'>

const MAX_SETTLING_MS = 60_000
const RETRY_PAUSE_MS = 50

/** Adds it to the ledger without a request: the asset's first bundle, or a replacement. */
export function planAdoption({ ledger }: Pick<AssetPorts, 'ledger'>, attempt: Attempt, asset: Asset): Adoption {
  const { name, size, hash } = attempt
  const original = newBlob({ role: 'original', name, size, hash, attempt })
  const action = asset.bundles.length === 0 ? ('create' as const) : ('replace' as const)
  const adoption = { attempt, asset, bundle: { action, original, metadata: undefined } }
  if (action === 'create') ledger.assets.push(asset)
  asset.bundles.push(adoption.bundle)
  attempt.adoptions.push(adoption)
  return adoption
}

/** One try, the same request each time. The ledger changes only when the server acknowledges the adoption. */
export async function sendAdoption(ports: AssetPorts, adoption: Adoption): Promise<Reply | undefined> {
  const { api, ledger, moments } = ports
  const { attempt, asset, bundle } = adoption
  const isRepeat = bundle.original.landed !== 'no'
  if (!isRepeat) bundle.original.landed = 'asked'
  moments.note('adopt sent')
  const path = `/v1/drops/${attempt.dropId}/adopt`
  const reply = await api.ask({ method: 'POST', path, token: asset.owner.token, json: adoptionBody(adoption) })
  if (reply === undefined || isRefusedForSpace(ports, reply)) return reply
  const isAdoption = reply.status === 200 && jsonOf<AdoptResponse>(reply).asset_id === asset.assetId
  const mayHaveNoDrop = isRepeat || attempt.discarded !== 'no' || attempt.adoptions.length > 1
  if (isAdoption) {
    moments.note('adopted')
    noteAdopted(ports, adoption)
    ledger.counts.adoptions++
  } else if (reply.status !== 404 || !mayHaveNoDrop)
    ledger.fault(`an adoption was answered ${reply.status} ${reply.code}: ${describeAttempt(attempt)}`)
  return reply
}

/** A drop becomes one asset, so all its other adoptions have failed. */
function noteAdopted({ ledger }: Pick<AssetPorts, 'ledger'>, adoption: Adoption): void {
  const { attempt, bundle } = adoption
  if (attempt.discarded === 'acknowledged')
    ledger.fault(`both its discard and its adoption were acknowledged: ${describeAttempt(attempt)}`)
  if (attempt.adoptions.some((other) => other !== adoption && other.bundle.original.landed === 'acknowledged'))
    ledger.fault(`it became two assets: ${describeAttempt(attempt)}`)
  bundle.original.landed = 'acknowledged'
  for (const other of attempt.adoptions) if (other !== adoption) withdraw(other)
}

function withdraw({ asset, bundle }: Adoption): void {
  bundle.original.landed = 'no'
  asset.bundles.splice(0, Number.POSITIVE_INFINITY, ...asset.bundles.filter((other) => other !== bundle))
}

/** As clients do after a lost answer: asks for the asset, which names its drop (specification, Adopt). */
export async function lookForAdoption(ports: Pick<AssetPorts, 'api' | 'ledger'>, attempt: Attempt): Promise<boolean> {
  for (const adoption of attempt.adoptions.filter(isAsked)) {
    const { assetId, owner } = adoption.asset
    const reply = await ports.api.askUntilAnswered({ method: 'GET', path: `/v1/assets/${assetId}`, token: owner.token })
    if (reply.status !== 200 || jsonOf<AssetResponse>(reply).drop?.drop_id !== attempt.dropId) continue
    noteAdopted(ports, adoption)
    ports.ledger.counts.adoptionsConfirmedLater++
    return true
  }
  return false
}

function isAsked({ bundle }: Adoption): boolean {
  return bundle.original.landed === 'asked'
}

export function isAdoptionOpen(attempt: Attempt): boolean {
  return attempt.adoptions.some(isAsked)
}

/** Repeats the newest adoption until its outcome is known: an asset, or nothing after a discard. */
export async function settleAdoption(ports: AssetPorts, attempt: Attempt): Promise<void> {
  const deadline = ports.api.deadline(MAX_SETTLING_MS)
  for (let adoption = attempt.adoptions.findLast(isAsked); adoption !== undefined && isAdoptionOpen(attempt); ) {
    if (deadline.isOver()) throw new Error(`an adoption has no outcome: ${describeAttempt(attempt)}`)
    const reply = await sendAdoption(ports, adoption)
    if (isAdopted(attempt) || (reply?.status === 404 && (await isOver(ports, attempt)))) return
    await pause(RETRY_PAUSE_MS)
  }
}

/** 404: adopted before, discarded, or another adoption holds the lease, which expires. */
async function isOver(ports: AssetPorts, attempt: Attempt): Promise<boolean> {
  if (await lookForAdoption(ports, attempt)) return true
  if (await isPending(ports, attempt.link.owner, attempt)) return false
  if (attempt.discarded === 'no') ports.ledger.fault(`neither adopted nor pending: ${describeAttempt(attempt)}`)
  attempt.discarded = 'acknowledged'
  for (const adoption of attempt.adoptions) withdraw(adoption)
  return true
}

async function isPending({ api }: AssetPorts, { token }: Owner, { dropId }: Attempt): Promise<boolean> {
  const reply = await api.askUntilAnswered({ method: 'GET', path: '/v1/drops', token })
  return jsonOf<{ drops: { readonly drop_id: string }[] }>(reply).drops.some(({ drop_id }) => drop_id === dropId)
}
