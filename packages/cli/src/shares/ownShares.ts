/** `share create`, `share list`, `share revoke`. */
import { AssetUnsigned } from '@blindkeep/client/errors'
import type { AssetFacts, CreatedShare, CreateShare, Owner } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { agrees } from '../ask.ts'
import { chosenAssets } from '../assets/chosen.ts'
import { EXIT, type Exit, LocalError } from '../exits.ts'
import { interruptible } from '../interrupts.ts'
import { pick } from '../pick.ts'
import { type QrFlags, tellQrCode } from '../qrCode.ts'
import { filesText, shortId, timeText } from '../texts.ts'

export interface CreateShareFlags extends OwnerFlags, QrFlags {
  readonly expires?: string
}

export async function createShare(given: readonly string[], flags: CreateShareFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  const { expires: expiresAt } = flags
  return await interruptible(async (signal) => {
    const assets = (await chosenAssets(session, given, signal)).map(({ asset }) => asset)
    const share = await createWithConsent(owner, assets, { options: { expiresAt, signal }, flags })
    report.answer(share.url, {
      event: 'created',
      share_id: share.opaqueId,
      url: share.url,
      asset_ids: assets.map(({ assetId }) => assetId),
      expires_at: expiresAt,
    })
    const until = expiresAt === undefined ? 'until you revoke it' : `until ${timeText(expiresAt)}`
    report.aside(
      `Everyone who has this address can read ${filesText(assets.length)}, ${until}. Keep it: it is stored nowhere, and shown only now.`,
    )
    tellQrCode(share.url, report, flags)
    return EXIT.done
  })
}

interface Consent {
  readonly options: CreateShare
  readonly flags: OwnerFlags
}

async function createWithConsent(
  owner: Owner,
  assets: readonly AssetFacts[],
  { options, flags }: Consent,
): Promise<CreatedShare> {
  try {
    return await owner.createShare(assets, options)
  } catch (error) {
    if (!(error instanceof AssetUnsigned)) throw error
    const isMeant =
      error.revoked !== undefined && (await agrees(`${error.message} Share what is there all the same?`, flags))
    if (!isMeant) throw new LocalError(`${error.message} Nothing was shared.`, { cause: error })
    return await owner.createShare(assets, { ...options, allowRevokedDevice: true })
  }
}

export async function listShares(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const rows = (await owner.listShares()).map(({ opaqueId, createdAt, expiresAt }) => ({
    cells: [shortId(opaqueId), timeText(createdAt), expiryText(expiresAt)],
    fact: { share_id: opaqueId, created_at: createdAt, expires_at: expiresAt },
  }))
  report.list(['ID', 'CREATED', 'EXPIRES'], rows, 'There are no shares. Create one: blindkeep share create FILE')
  return EXIT.done
}

function expiryText(expiresAt: string | undefined): string {
  if (expiresAt === undefined) return 'never'
  return Date.parse(expiresAt) > Date.now() ? timeText(expiresAt) : `${timeText(expiresAt)}, expired`
}

export async function revokeShare(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { opaqueId } = pick(await owner.listShares(), given, {
    what: 'share',
    listedBy: 'share list',
    id: (share) => share.opaqueId,
  })
  const question = `Revoke the share ${shortId(opaqueId)}? Its address shows nothing from then on; what people have read before, they keep. It cannot be undone.`
  if (!(await agrees(question, flags))) return EXIT.failed
  await owner.deleteShare(opaqueId)
  report.result(`The share ${shortId(opaqueId)} is revoked.`, { event: 'revoked', share_id: opaqueId })
  return EXIT.done
}
