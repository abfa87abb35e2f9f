/** Saves a file of the inbox, and keeps the reason when that fails. */
import type { FolderTemplate } from '@blindkeep/client/folderTemplate'
import { MAX_ZIP_FILES } from '@blindkeep/client/zip'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type SavingNow, useSaving } from '../../common/files/useSaving.ts'
import { useText } from '../../common/language/reader.ts'
import { isolated } from '../../common/names/isolated.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { errorTexts } from '../ground/errorText.ts'
import { NothingToZip } from '../ground/nothingToZip.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import { type OneOfMany, useSaveMany } from '../work/saveMany.tsx'
import { isTampered } from './dropDialog.tsx'
import { isUnread, type ListedDrop } from './dropList.ts'
import { plainNameOf, savedNameOf, zipNameOf } from './dropTexts.ts'
import { zipDrops } from './zipDrops.ts'

export interface DropSaving {
  readonly now: SavingNow | undefined
  /** Of one file, or without an id of a ZIP: then `name` is the file that could not be read. */
  readonly fault: { readonly dropId: string | undefined; readonly name: string; readonly text: string } | undefined
  /** Call it synchronously in the click's handler. */
  save(item: ListedDrop): void
  /** Several files, into a folder or as one ZIP. `title` names them if that fails. `questions`: to make folders of. */
  saveMany(items: readonly ListedDrop[], title: string, questions: readonly string[]): void
  readonly dialog: ComponentChildren
  stop(): void
  dismiss(): void
}

export function useDropSaving(): DropSaving {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(inboxTexts)
  const errorText = useText(errorTexts)
  const saving = useSaving()
  const many = useSaveMany()
  const [fault, setFault] = useState<DropSaving['fault']>()
  useCloseGuard(saving.now !== undefined)

  function explain(error: unknown): string {
    if (isTampered(error)) return text.tampered
    if (error instanceof NothingToZip) return text.zip.none
    // The browser's message about the file system is not made for users.
    return error instanceof DOMException ? text.notWritten : errorText(error)
  }

  const oneOfMany = (item: ListedDrop): OneOfMany => ({
    ...{ id: item.dropId, name: plainNameOf(item, text) },
    async open(signal) {
      const { file } = isUnread(item) ? await owner.describeDrop(item, { signal }) : item
      return { ...(await owner.openDrop(item, { signal })), name: file?.name, said: file }
    },
  })

  function saveZip(items: readonly ListedDrop[], title: string, template: FolderTemplate | undefined): void {
    if (items.length > MAX_ZIP_FILES) {
      setFault({ dropId: undefined, name: title, text: text.zip.tooMany(MAX_ZIP_FILES) })
      return
    }
    let [name, left]: [string, number] = [title, 0]
    const open = async (signal: AbortSignal) => {
      const onFile = (item: ListedDrop) => {
        name = plainNameOf(item, text)
      }
      const zip = await zipDrops({ owner, items, template, signal, onFile })
      left = zip.left
      return zip
    }
    setFault(undefined)
    saving.save([{ name: zipNameOf(items, text), open }]).then(
      (saved) => {
        if (saved === 0) return
        showMessage({ tone: 'good', text: text.zip.done(items.length - left) })
        if (left > 0) showMessage({ tone: 'bad', text: text.zip.left(left) })
      },
      (error: unknown) => setFault({ dropId: undefined, name, text: explain(error) }),
    )
  }

  return {
    now: saving.now,
    fault,
    dialog: many.dialog,
    saveMany(items, title, questions) {
      const example = items.find(({ file }) => file !== undefined)?.file
      many.ask(items.map(oneOfMany), (template) => saveZip(items, title, template), { questions, example })
    },
    save(item) {
      const name = savedNameOf(item, text)
      setFault(undefined)
      saving.save([{ name, open: (signal) => owner.openDrop(item, { signal }) }]).then(
        (saved) => saved === 1 && showMessage({ tone: 'good', text: text.downloaded(isolated(name)) }),
        (error: unknown) => setFault({ dropId: item.dropId, name, text: explain(error) }),
      )
    },
    stop: saving.stop,
    dismiss: () => setFault(undefined),
  }
}
