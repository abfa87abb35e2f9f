import type { InboxItem } from '@blindkeep/client/owner'
import { safeName } from '@blindkeep/client/safeName'
import type { Language } from '../../common/language.ts'
import { inbox as german } from '../../text/de/inbox.ts'
import { inbox as english } from '../../text/en/inbox.ts'

const texts = { en: english, de: german } as const

export function inboxText(language: Language): typeof english {
  return texts[language]
}

/** Turn the direction of what follows them, so that `exe.fdp` looks like `pdf.exe` (Unicode TR 36, 2.10). */
const turning = /\p{Bidi_Control}/gu
/** Characters that show nothing (Unicode TR 44, Default_Ignorable_Code_Point). */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\s]/gu

/**
 * As the sender wrote it, but for what would make it look like another name; or words for a file without a name, or one that cannot be opened.
 */
export function nameOf({ file }: InboxItem, language: Language): string {
  const text = texts[language]
  if (file === undefined) return text.unopened
  const name = file.name?.replace(turning, '').trim()
  return name === undefined || name.replace(unseen, '') === '' ? text.unnamed : name
}

/** Inside of sentences, and where a name stands for a file on a disk: nothing in it can turn what stands around it, and it is not endless. */
export function plainNameOf(item: InboxItem, language: Language): string {
  return item.file?.name === undefined ? nameOf(item, language) : safeName(item.file.name)
}

export function faultText({ reason }: NonNullable<InboxItem['fault']>, language: Language): string {
  const { faults } = texts[language]
  if (reason === 'gone' || reason === 'refused' || reason === 'unreachable' || reason === 'answer_broken')
    return faults[reason]
  return faults.sealed
}

/** Whether the same bytes may open another time: it was not their fault. */
export function isPassing({ reason }: NonNullable<InboxItem['fault']>): boolean {
  return reason === 'unreachable' || reason === 'answer_broken' || reason === 'refused'
}

/** Of the file, or of what is sealed where nobody knows more. */
export function sizeOf({ file, sealedBytes }: InboxItem): number {
  return file?.size ?? sealedBytes
}
