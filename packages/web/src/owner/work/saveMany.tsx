/** Many files to this computer: into a folder as a piece of work, where the browser can, or as one ZIP. */
import { type FolderTemplate, foldersFor, type TemplateFile } from '@blindkeep/client/folderTemplate'
import type { AssetId, DropId } from '@blindkeep/protocol/ids'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog, DialogEnd, Notice } from '../../common/controls/controls.tsx'
import { canChooseFolder, chooseFolder, type SaveFolder } from '../../common/files/saveFolder.ts'
import { useText } from '../../common/language/reader.ts'
import { workTexts } from '../ground/texts.ts'
import { FolderField, type FolderParts, readTemplate } from './folderField.tsx'
import { useWork } from './work.ts'
import type { WorkItem } from './workOrder.ts'

/** One of many. A failure names it by its asset, or by this name. */
export interface OneOfMany {
  readonly id: AssetId | DropId
  readonly assetId?: AssetId | undefined
  readonly name?: string | undefined
  /** Called when its turn comes, perhaps again. Throws why it cannot be saved without a question. */
  open(signal: AbortSignal): Promise<{
    /** As its sender wrote it. */
    readonly name: string | undefined
    /** What decides about its folders. */
    readonly said?: TemplateFile | undefined
    readonly size: number
    readonly content: ReadableStream<Uint8Array>
  }>
}

export interface SaveMany {
  /**
   * Call it synchronously in the click's handler: without folders it is the ZIP at once. `parts`: of files of guests.
   * `zip` gets folders to make in it, if the owner wants some.
   */
  ask(files: readonly OneOfMany[], zip: (template?: FolderTemplate) => void, parts?: FolderParts): void
  readonly dialog: ComponentChildren
}

interface Question {
  readonly files: readonly OneOfMany[]
  readonly zip: (template?: FolderTemplate) => void
  readonly parts: FolderParts | undefined
}

export function useSaveMany(): SaveMany {
  const [question, setQuestion] = useState<Question>()
  return {
    ask(files, zip, parts) {
      const isQuestion = canChooseFolder() || (parts !== undefined && parts.questions.length > 0)
      if (files.length > 1 && isQuestion) setQuestion({ files, zip, parts })
      else zip()
    },
    dialog: question !== undefined && <SaveDialog {...question} onClose={() => setQuestion(undefined)} />,
  }
}

function SaveDialog({ files, zip, parts, onClose }: Question & { readonly onClose: () => void }) {
  const { saving: text, close } = useText(workTexts)
  const work = useWork()
  const [isRefused, setRefused] = useState(false)
  const [typed, setTyped] = useState('')
  const read = readTemplate(typed)

  async function saveInFolder(): Promise<void> {
    try {
      const folder = await chooseFolder()
      if (folder === undefined) return
      onClose()
      work.begin({ kind: 'save', items: files.map((file) => itemOf(file, folder, read?.template)) })
    } catch {
      setRefused(true)
    }
  }

  return (
    <Dialog title={text.title(files.length)} closeLabel={close} onClose={onClose}>
      <p>{canChooseFolder() ? text.about : text.aboutZip}</p>
      {parts !== undefined && <FolderField {...parts} template={typed} onTemplate={setTyped} />}
      {isRefused && <Notice tone="bad">{text.refused}</Notice>}
      <DialogEnd>
        {canChooseFolder() && (
          <Button kind="primary" icon="folder" disabled={read === undefined} onClick={() => void saveInFolder()}>
            {text.folder}
          </Button>
        )}
        <Button
          icon="download"
          disabled={read === undefined}
          onClick={() => {
            onClose()
            zip(read?.template)
          }}
        >
          {text.zip}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}

function itemOf(
  { id, assetId, name: shownAs, open }: OneOfMany,
  folder: SaveFolder,
  template: FolderTemplate | undefined,
): WorkItem {
  return {
    ...{ do: 'save', id: `save ${id}`, assetId, name: shownAs },
    async save({ signal, onShare }) {
      const { name, said, size, content } = await open(signal)
      const place = await folder.place(name, template && said && foldersFor(template, said))
      await place.save(content, { signal, onProgress: (bytes) => onShare(size === 0 ? 1 : Math.min(1, bytes / size)) })
    },
  }
}
