import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import { Icon } from '../common/icons.tsx'
import { filesOfInput, filesOfTransfer } from './chooseFiles.ts'
import type { ChosenFile, Remark } from './messages.ts'
import { useGuestPages } from './texts.ts'

const FILES_INPUT = 'choose-files'

/** For a button that stands elsewhere. */
export function openFileChooser(): void {
  document.getElementById(FILES_INPUT)?.click()
}

interface DropZoneProps {
  /** There are files already: it steps back. */
  readonly isCompact: boolean
  readonly isReady: boolean
  readonly remark: Remark | undefined
}

/** Where files come in: chosen, dropped anywhere on the page, pasted, or taken with the camera. */
export function DropZone({ isCompact, isReady, remark }: DropZoneProps) {
  const { text, tell } = useGuestPages()
  const [isReading, setIsReading] = useState(false)
  const add = (files: readonly ChosenFile[], unreadable?: readonly string[]) => tell({ do: 'add', files, unreadable })
  const addTransfer = async (transfer: DataTransfer | null) => {
    setIsReading(true)
    try {
      const { files, unreadable } = await filesOfTransfer(transfer)
      add(files, unreadable)
    } finally {
      setIsReading(false)
    }
  }
  const isOver = useDropAnywhere(addTransfer)
  return (
    <section class={`drop-zone ${isCompact ? 'compact' : ''} ${isOver ? 'over' : ''}`} aria-label={text.choose.label}>
      {!isCompact && (
        <div class="drop-art">
          <Icon name="upload" />
        </div>
      )}
      <p class="drop-hint pointer-only">{isOver ? text.choose.dropNow : text.choose.drop}</p>
      <Choosers isCompact={isCompact} isReady={isReady} add={add} />
      {!isCompact && <p class="soft small pointer-only">{text.choose.pasteHint}</p>}
      {isReading && (
        <p class="row small" role="status">
          <span class="spinner" aria-hidden="true" /> {text.choose.reading}
        </p>
      )}
      <RemarkLine remark={remark} />
    </section>
  )
}

interface ChoosersProps {
  readonly isCompact: boolean
  readonly isReady: boolean
  readonly add: (files: readonly ChosenFile[]) => void
}

function Choosers({ isCompact, isReady, add }: ChoosersProps) {
  const { choose } = useGuestPages().text
  const [files, folder, camera] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
  ]
  const canChooseFolder = 'webkitdirectory' in HTMLInputElement.prototype
  useEffect(() => {
    if (folder.current !== null) folder.current.webkitdirectory = true
  }, [])
  const taken = (input: HTMLInputElement, isFromCamera = false) => {
    add(filesOfInput(input.files, isFromCamera))
    // Else choosing the same file again would be no change.
    input.value = ''
  }
  return (
    <div class="choosers">
      <Button
        kind={isCompact ? undefined : 'primary'}
        icon={isCompact ? 'add' : 'file'}
        disabled={!isReady}
        onClick={() => files.current?.click()}
      >
        {isCompact ? choose.more : choose.files}
      </Button>
      <span class="touch-only">
        <Button icon="camera" disabled={!isReady} onClick={() => camera.current?.click()}>
          {choose.camera}
        </Button>
      </span>
      {canChooseFolder && (
        <span class="pointer-only">
          <Button icon="folder" disabled={!isReady} onClick={() => folder.current?.click()}>
            {choose.folder}
          </Button>
        </span>
      )}
      <input
        ref={files}
        id={FILES_INPUT}
        type="file"
        multiple
        hidden
        aria-label={choose.files}
        onChange={(event) => taken(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label={choose.folder}
        onChange={(event) => taken(event.currentTarget)}
      />
      <input
        ref={camera}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        aria-label={choose.camera}
        onChange={(event) => taken(event.currentTarget, true)}
      />
    </div>
  )
}

function RemarkLine({ remark }: { readonly remark: Remark | undefined }) {
  const { remarks } = useGuestPages().text
  return (
    <p class="remark small" role="status">
      {remark !== undefined && <bdi key={remark.serial}>{remarks[remark.about](remark.count, remark.name)}</bdi>}
    </p>
  )
}

/** The whole page takes what is dropped or pasted, so that a browser never opens a file in its place. */
function useDropAnywhere(onTransfer: (transfer: DataTransfer | null) => Promise<void>): boolean {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onTransfer)
  latest.current = onTransfer
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      setIsOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      setIsOver(false)
      void latest.current(event.dataTransfer)
    }
    const paste = (event: ClipboardEvent) => {
      if (hasFiles(event.clipboardData) && !isTextFor(event)) void latest.current(event.clipboardData)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
      document.removeEventListener('paste', paste)
    }
  }, [])
  return isOver
}

/** Office programs put a picture beside the text that is copied; whoever pastes into a field means the text. */
function isTextFor({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  return isField && clipboardData?.types.includes('text/plain') === true
}

function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') === true
}
