/** `link edit`. */
import type { ChangeLink, OwnLink } from '@blindkeep/client/owner'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { endOf } from '../account/endOf.ts'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import type { Expiry } from '../ground/options.ts'
import { nameText } from '../ground/refusedTexts.ts'
import { limitsText, linkFacts, STATES } from './linkTexts.ts'
import { pickLink } from './pickLink.ts'
import { askedWith, requireKnownWords, type WordsFlags } from './questionOptions.ts'

interface EditLinkFlags extends OwnerFlags, WordsFlags {
  readonly expires?: Expiry | 'never'
  readonly maxSize?: number | 'unlimited'
  readonly maxTotal?: number | 'unlimited'
  readonly files?: number | 'unlimited'
  readonly label?: string
  readonly dismiss?: boolean
}

export async function editLink(given: string, flags: EditLinkFlags): Promise<Exit> {
  const { expires, label, title, message, from } = flags
  const caps = changeOf(flags)
  const words = [title, message, from, flags.question, flags.fileKinds]
  const isUnchanged = [...Object.values(caps), expires, label, ...words].every((value) => value === undefined)
  if (isUnchanged && flags.dismiss === true) return dismissRefused(given, flags)
  if (isUnchanged)
    throw new UsageError(
      'say what to change: --expires, --files, --max-size, --max-total, --label, --title, --message, --from, --question, --file-kinds or --dismiss.',
    )
  const { owner, report } = await signedIn(flags)
  const link = await pickLink(owner, given)
  const limits: ChangeLink = { ...caps, expiresAt: expires === 'never' ? null : await endOf(owner, expires) }
  requireChangeable(link, limits)
  const areWordsKept = words.every((given) => given === undefined)
  if (!areWordsKept) requireKnownWords(link, flags)
  const lines = { title: title ?? link.title, message: message ?? link.message, from: from ?? link.from }
  const forGuests = { ...lines, ...askedWith(flags, link) }
  const changed = await owner.changeLink(link.opaqueId, { ...limits, label, ...(!areWordsKept && { forGuests }) })
  report.result(`The link ${nameText(changed)} takes ${limitsText(changed)}. It ${STATES[changed.state]}.`, {
    event: 'changed',
    ...linkFacts(changed),
  })
  return EXIT.done
}

/** Of an ended link, too. */
async function dismissRefused(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const link = await pickLink(owner, given)
  const kept = link.refused === undefined ? link : await owner.changeLink(link.opaqueId, {})
  report.result(`Nothing is left of what the link ${nameText(kept)} refused.`, {
    event: 'dismissed',
    ...linkFacts(kept),
  })
  return EXIT.done
}

/** Sizes are those of sealed files, so that a file of exactly the given size fits. */
function changeOf({ maxSize, maxTotal, files }: EditLinkFlags): ChangeLink {
  const sealed = (size: number | 'unlimited' | undefined) =>
    typeof size === 'number' ? usualSealedBytes(size) : size && null
  return {
    maxFileSize: sealed(maxSize),
    maxTotalBytes: sealed(maxTotal),
    maxFileCount: files === 'unlimited' ? null : files,
  }
}

function requireChangeable(link: OwnLink, change: ChangeLink): void {
  const { state, singleUse, opaqueId } = link
  if (state === 'spent' || state === 'revoked')
    throw new UsageError(
      `the link ${nameText(link)} ${STATES[state]}, and stays so. Create one like it: blindkeep link create --like ${opaqueId}`,
    )
  if (singleUse && change.maxFileCount !== undefined)
    throw new UsageError('this link is for one file: leave --files out.')
}
