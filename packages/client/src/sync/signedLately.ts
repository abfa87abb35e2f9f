/** What a device signed shortly before it was revoked: if another person had the device, some of it may be theirs. */
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { addSeconds, type DeviceId, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { ListedDevice } from '../account/ownerDevices.ts'
import { AssetError } from '../assets/assetError.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { readProvenance } from '../assets/provenance.ts'
import { ProblemError } from '../http/errors.ts'
import { changesSince } from './ownerSync.ts'

export interface SignedLatelyOptions {
  /**
   * Days before the revocation, or for a live device before now, by the server's clock. 30 by default, as far as
   * servers let it misdate.
   */
  readonly days?: number | undefined
  /** `checked` of `total` manifests. Called once the total is known, and after each manifest. */
  readonly onProgress?: ((progress: { readonly checked: number; readonly total: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface LatelySigned {
  readonly asset: AssetFacts
  /** RFC 3339, stated by the device. */
  readonly signedAt: string
}

export interface SignedLately {
  /** The latest change first. */
  readonly signed: readonly LatelySigned[]
  /** Assets of that time whose manifest cannot be read or verified, so that it is unknown who signed them. */
  readonly unverified: readonly AssetFacts[]
}

export interface OwnerSignedLately {
  /**
   * The assets whose verified manifest names the device and which, as the server or the device states, are from the
   * days before its revocation or later. Reads the whole feed and the manifests of that time. A server that states an
   * older time of an asset, or a later one of its own, or does not list the asset, hides it. Throws `RangeError` for a
   * device that is not listed, the reason of the signal, and what a call throws.
   */
  signedLately(deviceId: DeviceId, options?: SignedLatelyOptions): Promise<SignedLately>
}

const DAYS = 30
const DAY_SECONDS = 86_400
const MAX_READS = 4

export function createOwnerSignedLately(ports: AssetPorts): OwnerSignedLately {
  return { signedLately: (deviceId, options) => signedLately(ports, deviceId, options) }
}

async function signedLately(
  ports: AssetPorts,
  deviceId: DeviceId,
  { days = DAYS, onProgress, signal }: SignedLatelyOptions = {},
): Promise<SignedLately> {
  const devices = await ports.devices()
  const device = devices.find((listed) => listed.deviceId === deviceId)
  if (device === undefined) throw new RangeError('the account has no such device')
  const since = addSeconds(endOf(device, ports.clock.now()), -days * DAY_SECONDS)
  const recent = await recentAssets(ports, since, signal)
  const reader = { ...ports, devices: async () => devices }
  const signed: LatelySigned[] = []
  const unverified: AssetFacts[] = []
  let checked = 0
  onProgress?.({ checked, total: recent.length })
  await forEachConcurrently(recent, MAX_READS, async (asset) => {
    signal?.throwIfAborted()
    try {
      const envelope = (await readProvenance(reader, asset, signal))?.manifest.envelope
      if (envelope?.created_by_device === deviceId) signed.push({ asset, signedAt: envelope.timestamp })
    } catch (error) {
      if (!isUnverified(error)) throw error
      unverified.push(asset)
    }
    checked += 1
    onProgress?.({ checked, total: recent.length })
  })
  return {
    signed: signed.toSorted((one, other) => changeOf(other.asset) - changeOf(one.asset)),
    unverified: unverified.toSorted((one, other) => changeOf(other) - changeOf(one)),
  }
}

/** A revocation in the future is the server's mistake, and must not hide what was signed until now. */
function endOf({ revokedAt }: ListedDevice, now: Instant): Instant {
  const at = revokedAt === undefined ? undefined : parseInstant(revokedAt)
  return at !== undefined && at < now ? at : now
}

/** Signed assets that changed since, or whose envelope is later. Without a manifest no device has signed. */
async function recentAssets(
  { call }: AssetPorts,
  since: Instant,
  signal: AbortSignal | undefined,
): Promise<readonly AssetFacts[]> {
  const recent: AssetFacts[] = []
  for await (const { changes } of changesSince(call, { signal }))
    for (const { asset } of changes)
      if (asset !== undefined && isSigned(asset) && isSince(asset, since)) recent.push(asset)
  return recent
}

function isSigned(asset: AssetFacts): boolean {
  return asset.blobs.some(({ role }) => role === 'provenance')
}

function isSince({ changedAt, envelope }: AssetFacts, since: Instant): boolean {
  // What is no time is never old.
  return [changedAt, envelope.timestamp].some((time) => (parseInstant(time) ?? since) >= since)
}

function changeOf({ changedAt }: AssetFacts): number {
  return parseInstant(changedAt) ?? 0
}

/** The manifest contradicts something or is withheld. All other errors end the search. */
function isUnverified(error: unknown): boolean {
  const codes: readonly string[] = ['error.blob.not_found', 'error.blob.withheld', 'error.storage.unavailable']
  return error instanceof AssetError || (error instanceof ProblemError && codes.includes(error.code))
}
