/** What a link takes, in words and for programs. */
import type { LinkCaps, OwnLink } from '@blindkeep/client/owner'
import { largestPlaintext } from '@blindkeep/client/sizes'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { askedFacts } from '../ground/questionTexts.ts'
import { refusedFacts } from '../ground/refusedTexts.ts'
import { filesText, timeText } from '../ground/texts.ts'

export const STATES = {
  live: 'takes files',
  expired: 'has expired',
  spent: 'is used up',
  revoked: 'is revoked',
} as const

/** For a list: `live`, `full, passphrase`, `expired`. */
export function stateText({ state, isFull, passphraseRequired }: OwnLink): string {
  const shown = state === 'live' && isFull ? 'full' : state
  return passphraseRequired ? `${shown}, passphrase` : shown
}

type Limits = Pick<OwnLink, 'caps' | 'singleUse' | 'expiresAt'>

/** `up to 20 files, each of up to 2 GB, 10 GB in all, until 2026-12-02 14:05`. */
export function limitsText({ caps, singleUse, expiresAt }: Limits): string {
  const { maxFileCount, maxTotalBytes } = caps
  const largest = largestFile(caps)
  const files = maxFileCount === undefined ? 'any number of files' : `up to ${filesText(maxFileCount)}`
  return [
    singleUse ? 'one file' : files,
    ...(largest === undefined ? [] : [`${singleUse ? '' : 'each '}of up to ${sizeText(largest)}`]),
    maxTotalBytes === undefined ? 'as much as your storage has room for' : `${sizeText(maxTotalBytes)} in all`,
    expiresAt === undefined ? 'until it is revoked' : `until ${timeText(expiresAt)}`,
  ].join(', ')
}

/** Caps are those of sealed files. */
function largestFile({ maxFileSize }: LinkCaps): number | undefined {
  return maxFileSize === undefined ? undefined : (largestPlaintext(maxFileSize) ?? 0)
}

export function limitFacts({ caps, singleUse, expiresAt }: Limits) {
  return {
    single_use: singleUse,
    max_files: caps.maxFileCount,
    max_file_size: largestFile(caps),
    max_total_bytes: caps.maxTotalBytes,
    expires_at: expiresAt,
  }
}

export function linkFacts(link: OwnLink) {
  return {
    link_id: link.opaqueId,
    state: link.state,
    full: link.isFull,
    passphrase_required: link.passphraseRequired,
    label: link.label,
    title: link.title,
    message: link.message,
    from: link.from,
    ...askedFacts(link),
    created_at: link.createdAt,
    ...limitFacts(link),
    landed_files: link.landedFiles,
    landed_bytes: link.landedBytes,
    open_uploads: link.openSessions,
    open_bytes: link.openBytes,
    pending: link.pending,
    ...refusedFacts(link),
  }
}
