/** `link create`. */
import { DEFAULT_FILES, DEFAULT_TOTAL_BYTES, type LinkCaps, type OwnLink } from '@blindkeep/client/owner'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { endOf } from '../account/endOf.ts'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { type NewPassphraseFlags, newPassphrase } from '../ground/newPassphrase.ts'
import type { Expiry } from '../ground/options.ts'
import { type QrFlags, tellQrCode } from '../ground/qrCode.ts'
import { askedFacts } from '../ground/questionTexts.ts'
import { nameText } from '../ground/refusedTexts.ts'
import { limitFacts, limitsText } from './linkTexts.ts'
import { pickLink } from './pickLink.ts'
import { askedWith, requireKnownWords, type WordsFlags } from './questionOptions.ts'

interface CreateLinkFlags extends OwnerFlags, QrFlags, NewPassphraseFlags, WordsFlags {
  readonly expires?: Expiry
  readonly maxSize?: number
  readonly maxTotal?: number | 'unlimited'
  readonly files?: number | 'unlimited'
  readonly once?: boolean
  readonly label?: string
  /** Another link, whose limits and words are taken where no flag gives one. */
  readonly like?: string
}

export async function createLink(flags: CreateLinkFlags): Promise<Exit> {
  const given = capsOf(flags)
  const { owner, report } = await signedIn(flags)
  const model = flags.like === undefined ? undefined : await pickLink(owner, flags.like)
  if (model !== undefined) {
    requirePassphraseAgain(model, flags)
    requireKnownWords(model, flags)
  }
  const singleUse = flags.once ?? (model?.singleUse === true && flags.files === undefined)
  const caps = model === undefined ? given : { ...model.caps, ...ownCaps(given, flags) }
  const asked = askedWith(flags, model)
  const { label = model?.label, title = model?.title, message = model?.message, from = model?.from } = flags
  const expiresAt = await endOf(owner, flags.expires ?? sameLifetime(model))
  const passphrase = await newPassphrase('Passphrase of the new link', flags)
  const { maxTotalBytes = 'unlimited', maxFileCount = 'unlimited' } = caps
  const created = await owner.createLink({
    caps: { ...caps, maxTotalBytes, maxFileCount },
    passphrase,
    label,
    title,
    message,
    from,
    ...asked,
    singleUse,
    expiresAt,
  })
  const limits = { caps, singleUse, expiresAt }
  report.answer(created.url, {
    event: 'created',
    link_id: created.opaqueId,
    url: created.url,
    label,
    title,
    message,
    from,
    ...askedFacts(asked),
    ...limitFacts(limits),
    passphrase_required: passphrase !== undefined,
  })
  report.aside(
    `Everyone who has this link can send you files, and only you can open them. It takes ${limitsText(limits)}.`,
  )
  if (passphrase !== undefined) report.aside('Give people the passphrase in another way than the link.')
  tellQrCode(created.url, report, flags)
  return EXIT.done
}

/** Of sealed files, so that a file of the given size fits. Otherwise the client's defaults. */
export function capsOf({ maxSize, maxTotal, files, once = false }: CreateLinkFlags): LinkCaps {
  if (once && files !== undefined) throw new UsageError('--once is for one file: leave --files out.')
  if (maxSize !== undefined && typeof maxTotal === 'number' && maxSize > maxTotal)
    throw new UsageError('--max-size is larger than --max-total.')
  const maxFileSize = maxSize === undefined ? undefined : usualSealedBytes(maxSize)
  const maxTotalBytes =
    typeof maxTotal === 'number' ? usualSealedBytes(maxTotal) : Math.max(DEFAULT_TOTAL_BYTES, maxFileSize ?? 0)
  const maxFileCount = once ? undefined : (files ?? DEFAULT_FILES)
  return {
    maxFileCount: maxFileCount === 'unlimited' ? undefined : maxFileCount,
    maxFileSize,
    maxTotalBytes: maxTotal === 'unlimited' ? undefined : maxTotalBytes,
  }
}

/** Those that a flag gives. */
function ownCaps(caps: LinkCaps, { maxSize, maxTotal, files, once }: CreateLinkFlags): LinkCaps {
  return {
    ...(maxSize !== undefined && { maxFileSize: caps.maxFileSize }),
    ...(maxTotal !== undefined && { maxTotalBytes: caps.maxTotalBytes }),
    ...((files !== undefined || once === true) && { maxFileCount: caps.maxFileCount }),
  }
}

/** From now on as long as the other link from its creation. */
function sameLifetime(model: OwnLink | undefined): Expiry | undefined {
  if (model?.expiresAt === undefined) return undefined
  return { seconds: Math.max(0, millisecondsOf(model.expiresAt) - millisecondsOf(model.createdAt)) / 1000 }
}

/** A link that is copied must not come without the gate that its owner may think it has. */
function requirePassphraseAgain(model: OwnLink, { passphrase, passphraseFile }: CreateLinkFlags): void {
  if (model.passphraseRequired && passphrase !== true && passphraseFile === undefined)
    throw new UsageError(
      `guests of the link ${nameText(model)} need a passphrase, which is stored nowhere: add --passphrase or --passphrase-file.`,
    )
}
