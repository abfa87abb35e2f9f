/** Many files to this computer: into a folder as a piece of work, where the browser can, or as one ZIP. */
import type { AssetId, DropId } from '@blindkeep/protocol/ids'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog, Notice } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { canChooseFolder, chooseFolder, type SaveFolder } from '../../common/saveFolder.ts'
import { workTexts } from './texts.ts'
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
    readonly size: number
    readonly content: ReadableStream<Uint8Array>
  }>
}

export interface SaveMany {
  /** Call it synchronously in the click's handler: without folders it is the ZIP at once. */
  ask(files: readonly OneOfMany[], zip: () => void): void
  readonly dialog: ComponentChildren
}

interface Question {
  readonly files: readonly OneOfMany[]
  readonly zip: () => void
}

export function useSaveMany(): SaveMany {
  const [question, setQuestion] = useState<Question>()
  return {
    ask(files, zip) {
      if (files.length > 1 && canChooseFolder()) setQuestion({ files, zip })
      else zip()
    },
    dialog: question !== undefined && <SaveDialog {...question} onClose={() => setQuestion(undefined)} />,
  }
}

function SaveDialog({ files, zip, onClose }: Question & { readonly onClose: () => void }) {
  const { saving: text, close } = useText(workTexts)
  const work = useWork()
  const [isRefused, setRefused] = useState(false)

  async function saveInFolder(): Promise<void> {
    try {
      const folder = await chooseFolder()
      if (folder === undefined) return
      onClose()
      work.begin({ kind: 'save', items: files.map((file) => itemOf(file, folder)) })
    } catch {
      setRefused(true)
    }
  }

  return (
    <Dialog title={text.title(files.length)} closeLabel={close} onClose={onClose}>
      <p>{text.about}</p>
      {isRefused && <Notice tone="bad">{text.refused}</Notice>}
      <div class="row">
        <Button kind="primary" icon="folder" onClick={() => void saveInFolder()}>
          {text.folder}
        </Button>
        <Button
          icon="download"
          onClick={() => {
            onClose()
            zip()
          }}
        >
          {text.zip}
        </Button>
      </div>
    </Dialog>
  )
}

function itemOf({ id, assetId, name: shownAs, open }: OneOfMany, folder: SaveFolder): WorkItem {
  return {
    ...{ do: 'save', id: `save ${id}`, assetId, name: shownAs },
    async save({ signal, onShare }) {
      const { name, size, content } = await open(signal)
      const place = await folder.place(name)
      await place.save(content, { signal, onProgress: (bytes) => onShare(size === 0 ? 1 : Math.min(1, bytes / size)) })
    },
  }
}
