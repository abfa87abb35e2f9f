/** `link create`. */
import { DEFAULT_TOTAL_BYTES, type LinkCaps } from '@blindkeep/client/owner'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { secret } from '../ask.ts'
import { EXIT, type Exit, UsageError } from '../exits.ts'
import { type QrFlags, tellQrCode } from '../qrCode.ts'
import { limitFacts, limitsText } from './linkTexts.ts'

export interface CreateLinkFlags extends OwnerFlags, QrFlags {
  readonly expires?: string
  readonly maxSize?: number
  readonly maxTotal?: number | 'unlimited'
  readonly files?: number
  readonly once?: boolean
  readonly passphrase?: boolean
  readonly passphraseFile?: string
  readonly label?: string
}

export async function createLink(flags: CreateLinkFlags): Promise<Exit> {
  const { expires: expiresAt, once: singleUse = false, label } = flags
  const caps = capsOf(flags)
  const { owner, report } = await signedIn(flags)
  const passphrase = await passphraseOf(flags)
  const { maxTotalBytes = 'unlimited' } = caps
  const created = await owner.createLink({
    caps: { ...caps, maxTotalBytes },
    passphrase,
    label,
    singleUse,
    expiresAt,
  })
  const limits = { caps, singleUse, expiresAt }
  report.answer(created.url, {
    event: 'created',
    link_id: created.opaqueId,
    url: created.url,
    label,
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

/** Of sealed files, so that a file of exactly the given size fits. Without a total, as many as the client's default. */
function capsOf({ maxSize, maxTotal, files, once = false }: CreateLinkFlags): LinkCaps {
  if (once && files !== undefined) throw new UsageError('--once is for one file: leave --files out.')
  if (maxSize !== undefined && typeof maxTotal === 'number' && maxSize > maxTotal)
    throw new UsageError('--max-size is larger than --max-total.')
  const maxFileSize = maxSize === undefined ? undefined : usualSealedBytes(maxSize)
  const maxTotalBytes =
    typeof maxTotal === 'number' ? usualSealedBytes(maxTotal) : Math.max(DEFAULT_TOTAL_BYTES, maxFileSize ?? 0)
  return { maxFileCount: files, maxFileSize, maxTotalBytes: maxTotal === 'unlimited' ? undefined : maxTotalBytes }
}

async function passphraseOf({ passphrase, passphraseFile: file }: CreateLinkFlags): Promise<string | undefined> {
  if (passphrase !== true && file === undefined) return undefined
  const what = 'Passphrase of the new link'
  const given = await secret({ what, file, variable: 'BLINDKEEP_PASSPHRASE', flag: '--passphrase-file', twice: true })
  if (given === '') throw new UsageError('the passphrase is empty.')
  return given
}
