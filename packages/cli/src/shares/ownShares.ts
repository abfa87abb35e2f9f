/** `share create`, `share list`, `share show`, `share rename`, `share revoke`. */
import { AssetUnsigned } from '@blindkeep/client/errors'
import type {
  Album,
  AssetFacts,
  CreatedShare,
  CreateShare,
  Owner,
  OwnShare,
  ShareSummary,
  ShareVisits,
} from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { type Instant, millisecondsOf } from '@blindkeep/protocol/ids'
import { endOf } from '../account/endOf.ts'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { chosenAlbum, chosenAssets, requireFilesOrAlbum } from '../assets/chosen.ts'
import { accountAssets } from '../changes/feed.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { type NewPassphraseFlags, newPassphrase } from '../ground/newPassphrase.ts'
import type { Expiry } from '../ground/options.ts'
import { type Picking, pick } from '../ground/pick.ts'
import { type QrFlags, tellQrCode } from '../ground/qrCode.ts'
import type { Report } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, namedText, shortId, shown, timeText } from '../ground/texts.ts'
import { type ShowingFlags, sharesShowing } from './showing.ts'

interface CreateShareFlags extends OwnerFlags, QrFlags, NewPassphraseFlags {
  readonly name?: string
  readonly expires?: Expiry
  readonly downloads?: number
  readonly album?: string
  readonly follow?: boolean
}

export async function createShare(given: readonly string[], flags: CreateShareFlags): Promise<Exit> {
  requireFilesOrAlbum(given, flags.album)
  if (flags.follow === true && flags.album === undefined) throw new UsageError('--follow needs --album.')
  const session = await signedIn(flags)
  const { owner, report } = session
  const { name, downloads: maxDownloads } = flags
  const expiresAt = await endOf(owner, flags.expires)
  const passphrase = await newPassphrase('Passphrase of the new share', flags)
  return await interruptible(async (signal) => {
    const album = flags.album === undefined ? undefined : chosenAlbum(await owner.albums(), flags.album)
    const assets =
      album === undefined
        ? (await chosenAssets(session, given, { signal })).map(({ asset }) => asset)
        : await sharedOfAlbum(session, album, signal)
    const follow = flags.follow === true ? album?.albumId : undefined
    const share = await createWithConsent(owner, assets, {
      options: { name, passphrase, expiresAt, maxDownloads, follow, signal },
      flags,
    })
    report.answer(share.url, {
      event: 'created',
      share_id: share.opaqueId,
      url: share.url,
      ...(share.isKept && { name }),
      asset_ids: assets.map(({ assetId }) => assetId),
      expires_at: expiresAt,
      max_downloads: maxDownloads,
      follows_album_id: follow,
      passphrase_required: passphrase !== undefined,
    })
    const until = expiresAt === undefined ? 'until you revoke it' : `until ${timeText(expiresAt)}`
    const again = share.isKept
      ? `It is shown again by: blindkeep share show ${shortId(share.opaqueId)}`
      : 'Keep it: this server is of an earlier version, which stores neither the address nor a name, and it is shown only now.'
    const who = passphrase === undefined ? 'this address' : 'this address and the passphrase'
    const limit =
      maxDownloads === undefined ? '' : ` It shows nothing to others after ${countText(maxDownloads, 'download')}.`
    const later = follow === undefined ? '' : ', and whatever comes into the album later'
    report.aside(`Everyone who has ${who} can read ${filesText(assets.length)}${later}, ${until}.${limit} ${again}`)
    if (passphrase !== undefined)
      report.aside('Give people the passphrase in another way than the address. It is stored nowhere.')
    tellQrCode(share.url, report, flags)
    return EXIT.done
  })
}

/** What is finished. */
async function sharedOfAlbum(
  session: SignedIn,
  { albumId, name }: Album,
  signal: AbortSignal,
): Promise<readonly AssetFacts[]> {
  const all = await accountAssets(session, signal)
  const assets = all.filter((asset) => asset.albumId === albumId && asset.complete)
  if (assets.length === 0) throw new LocalError(`The album ${shown(name ?? shortId(albumId))} has no file to share.`)
  return assets
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

export async function listShares(flags: OwnerFlags & ShowingFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  const shares = await interruptible((signal) => sharesShowing(session, flags, signal))
  const rows = shares.map((share) => ({ cells: cellsOf(share, owner.now()), fact: shareFacts(share) }))
  const headings = [
    'ID',
    'CREATED',
    'EXPIRES',
    'OPENED',
    'DOWNLOADED',
    'FILES',
    'SIZE',
    shrinking('NAME'),
    shrinking('CONTENTS'),
  ]
  const none = flags.file === undefined && flags.album === undefined ? 'There are no shares' : 'No open share shows it'
  report.list(headings, rows, `${none}. Create one: blindkeep share create FILE`)
  return tellFaults(shares, report)
}

function cellsOf(
  { opaqueId, createdAt, expiresAt, passphraseRequired, visits, maxDownloads, name = '', contents }: OwnShare,
  now: Instant,
): readonly string[] {
  const expires = expiryText(expiresAt, now)
  return [
    shortId(opaqueId),
    timeText(createdAt),
    passphraseRequired ? `${expires}, passphrase` : expires,
    String(visits?.opened ?? ''),
    downloadsText(visits, maxDownloads),
    contents === undefined ? '' : String(contents.files),
    contents === undefined ? '' : sizeText(contents.bytes),
    shown(name),
    contents === undefined ? '' : shown(contentsText(contents)),
  ]
}

/** `2 of 5`. */
function downloadsText(visits: ShareVisits | undefined, max: number | undefined): string {
  if (visits === undefined) return ''
  return max === undefined ? String(visits.downloaded) : `${visits.downloaded} of ${max}`
}

/** The first names. */
function contentsText({ files, names }: ShareSummary): string {
  return files > names.length && names.length > 0 ? `${names.join(', ')}, …` : names.join(', ')
}

export async function showShare(given: string, flags: OwnerFlags & QrFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const share = pick(await owner.listShares(), given, SHARE)
  const { opaqueId, name, createdAt, expiresAt, passphraseRequired, visits, maxDownloads, contents } = share
  // An address that shows nothing is not given on.
  const isOver = hasExpired(expiresAt, owner.now())
  const url = isOver ? undefined : share.url
  const lines = [
    ...(url === undefined ? [] : [url]),
    ...(name === undefined ? [] : [`Name:     ${shown(name)}`]),
    `Id:       ${opaqueId}`,
    `Created:  ${timeText(createdAt)}`,
    `Expires:  ${expiryText(expiresAt, owner.now())}`,
    ...(visits === undefined
      ? []
      : [`Opened:   ${visits.opened}, downloaded ${downloadsText(visits, maxDownloads)}${lastText(visits)}`]),
    ...(share.follows === undefined ? [] : [`Follows:  the album ${shortId(share.follows)}`]),
    ...(passphraseRequired ? ['Needs:    the passphrase that you gave it'] : []),
    ...(contents === undefined ? [] : [`Files:    ${filesText(contents.files)}, ${sizeText(contents.bytes)}`]),
    ...(contents === undefined || contents.names.length === 0 ? [] : [`Contents: ${shown(contentsText(contents))}`]),
  ]
  report.answer(lines.join('\n'), { ...(url !== undefined && { url }), ...shareFacts(share) })
  if (url !== undefined) tellQrCode(url, report, flags)
  else if (!isOver && share.recordFault === undefined)
    report.aside(
      'Its address is not known: an older version of a program made the share, and kept the address nowhere.',
    )
  return tellFaults([share], report)
}

const lastText = ({ lastAt }: ShareVisits) => (lastAt === undefined ? '' : `, the last time ${timeText(lastAt)}`)

function shareFacts(share: OwnShare) {
  const { opaqueId, createdAt, expiresAt, passphraseRequired, visits, maxDownloads, name, contents } = share
  return {
    share_id: opaqueId,
    created_at: createdAt,
    expires_at: expiresAt,
    passphrase_required: passphraseRequired,
    opened: visits?.opened,
    downloaded: visits?.downloaded,
    last_at: visits?.lastAt,
    max_downloads: maxDownloads,
    name,
    follows_album_id: share.follows,
    files: contents?.files,
    bytes: contents?.bytes,
    first_names: contents?.names,
  }
}

function tellFaults(shares: readonly OwnShare[], report: Report): Exit {
  const faulty = shares.filter(({ nameFault, recordFault }) => (nameFault ?? recordFault) !== undefined)
  for (const { opaqueId, nameFault } of faulty) {
    const what = nameFault === undefined ? 'address' : 'name'
    const message = `The ${what} of the share ${shortId(opaqueId)} was not written for it with this account: the server, or something in front of it, changed it. If you do not know the share, revoke it.`
    report.problem(message, { event: 'failed', reason: `${what}_unreadable`, share_id: opaqueId, message })
  }
  return faulty.length === 0 ? EXIT.done : EXIT.untrusted
}

/** By the server's clock, as it ends. */
const hasExpired = (expiresAt: string | undefined, now: Instant) =>
  expiresAt !== undefined && millisecondsOf(expiresAt) <= now

function expiryText(expiresAt: string | undefined, now: Instant): string {
  if (expiresAt === undefined) return 'never'
  return hasExpired(expiresAt, now) ? `${timeText(expiresAt)}, expired` : timeText(expiresAt)
}

const SHARE: Picking<OwnShare> = {
  what: 'share',
  listedBy: 'share list',
  id: ({ opaqueId }) => opaqueId,
  name: ({ name }) => name,
}

export async function renameShare(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { opaqueId } = pick(await owner.listShares(), given, SHARE)
  await owner.nameShare(opaqueId, name)
  const isNamed = name.trim() !== ''
  const is = isNamed ? `is now ${shown(name)}` : 'has no name now'
  report.result(`The share ${shortId(opaqueId)} ${is}.`, {
    event: 'named',
    share_id: opaqueId,
    ...(isNamed && { name }),
  })
  return EXIT.done
}

export async function limitShare(given: string, limit: number | 'unlimited', flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { opaqueId } = pick(await owner.listShares(), given, SHARE)
  const max = limit === 'unlimited' ? undefined : limit
  await owner.limitShare(opaqueId, max)
  const may = max === undefined ? 'any number of downloads' : countText(max, 'download')
  report.result(`The share ${shortId(opaqueId)} has ${may}, those before included.`, {
    event: 'limited',
    share_id: opaqueId,
    max_downloads: max,
  })
  return EXIT.done
}

export async function revokeShare(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const share = pick(await owner.listShares(), given, SHARE)
  const { opaqueId } = share
  const question = `Revoke the share ${namedText(opaqueId, share)}? Its address shows nothing from then on; what people have read before, they keep. It cannot be undone.`
  if (!(await agrees(question, flags))) return EXIT.failed
  await owner.deleteShare(opaqueId)
  report.result(`The share ${shortId(opaqueId)} is revoked.`, { event: 'revoked', share_id: opaqueId })
  return EXIT.done
}
