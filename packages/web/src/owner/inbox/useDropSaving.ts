/** Saves a file of the inbox, and keeps the reason when that fails. */
import { useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { type SavingNow, useSaving } from '../../common/useSaving.ts'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { isTampered } from './dropDialog.tsx'
import type { ListedDrop } from './dropList.ts'
import { inboxText, plainNameOf } from './texts.ts'

export interface DropSaving {
  readonly now: SavingNow | undefined
  readonly fault: { readonly dropId: string; readonly name: string; readonly text: string } | undefined
  /** Call it synchronously in the click's handler. */
  save(item: ListedDrop): void
  stop(): void
  dismiss(): void
}

export function useDropSaving(): DropSaving {
  const { owner, language, showMessage } = useOwnerPages()
  const text = inboxText(language)
  const saving = useSaving()
  const [fault, setFault] = useState<DropSaving['fault']>()
  useCloseGuard(saving.now !== undefined)

  function explain(error: unknown): string {
    if (isTampered(error)) return text.tampered
    // The browser's message about the file system is not made for users.
    return error instanceof DOMException ? text.notWritten : errorText(error, language)
  }

  return {
    now: saving.now,
    fault,
    save(item) {
      const name = plainNameOf(item, language)
      setFault(undefined)
      saving.save([{ name, open: (signal) => owner.openDrop(item, { signal }) }]).then(
        (saved) => saved === 1 && showMessage({ tone: 'good', text: text.downloaded(name) }),
        (error: unknown) => setFault({ dropId: item.dropId, name, text: explain(error) }),
      )
    },
    stop: saving.stop,
    dismiss: () => setFault(undefined),
  }
}
