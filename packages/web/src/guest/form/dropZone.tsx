import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { type FoundFile, filesOfInput, filesOfTransfer } from '../../common/files/chosenFiles.ts'
import { useFileInput } from '../../common/files/fileInput.tsx'
import { useText } from '../../common/language/reader.ts'
import type { ChosenFile, NotFiles, Remark } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

const INPUT_IDS = { files: 'choose-files', folder: 'choose-folder' } as const

/** For buttons in other components. */
export function openChooser(of: keyof typeof INPUT_IDS): void {
  document.getElementById(INPUT_IDS[of])?.click()
}

/** Phones learn it one by one (File and Directory Entries API). */
export function canChooseFolders(): boolean {
  return 'webkitdirectory' in HTMLInputElement.prototype
}

interface DropZoneProps {
  /** There are files already, so the zone is smaller. */
  readonly isCompact: boolean
  /** The link takes one file. */
  readonly isSingle: boolean
  /** Only an unfinished file can be chosen again; its card has the button. */
  readonly isShut: boolean
  readonly isReady: boolean
  /** No other part of the page offers to choose files. */
  readonly isFirst: boolean
  /** Endings of the files that the owner wants. */
  readonly fileKinds: readonly string[] | undefined
  /** What is added now is sent with the message of the files before, unless the guest changes it. */
  readonly carriesMessage: boolean
  readonly remarks: readonly Remark[]
}

/** Takes files that are chosen, dropped anywhere on the page, pasted, or photographed. */
export function DropZone(props: DropZoneProps) {
  const { isCompact, isSingle, isShut, isReady, isFirst, fileKinds, carriesMessage, remarks } = props
  const text = useText(guestTexts)
  const tell = useTell()
  const [isReading, setIsReading] = useState(false)
  const add = (files: readonly ChosenFile[], others: NotFiles = {}) => tell({ do: 'add', files, others })
  const addTransfer = async (transfer: DataTransfer | null) => {
    setIsReading(true)
    try {
      const { files, ...others } = await filesOfTransfer(transfer)
      add(files.map(notFromCamera), others)
    } finally {
      setIsReading(false)
    }
  }
  const isOver = useDropAnywhere(addTransfer)
  const hint = isShut ? text.choose.dropAgain : isSingle ? text.choose.dropOne : text.choose.drop
  return (
    <section class={`drop-zone ${isCompact ? 'compact' : ''} ${isOver ? 'over' : ''}`} aria-label={text.choose.label}>
      {!isCompact && (
        <div class="drop-art">
          <Icon name="upload" />
        </div>
      )}
      <p class="drop-hint pointer-only">{isOver ? text.choose.dropNow : hint}</p>
      <Choosers {...{ isCompact, isSingle, isShut, isReady, isFirst, fileKinds, add }} />
      {!isCompact && <p class="soft small pointer-only">{text.choose.pasteHint}</p>}
      {isReading && (
        <p class="row small" role="status">
          <span class="spinner" aria-hidden="true" /> {text.choose.reading}
        </p>
      )}
      {carriesMessage && !isShut && <p class="soft small carries">{text.choose.carries}</p>}
      <RemarkLines remarks={remarks} isShut={isShut} />
    </section>
  )
}

type ChosenProps = 'isCompact' | 'isSingle' | 'isShut' | 'isReady' | 'isFirst' | 'fileKinds'

interface ChoosersProps extends Pick<DropZoneProps, ChosenProps> {
  readonly add: (files: readonly ChosenFile[]) => void
}

function Choosers({ isCompact, isSingle, isShut, isReady, isFirst, fileKinds, add }: ChoosersProps) {
  const text = useText(guestTexts).choose
  const choose = (isFromCamera: boolean) => (files: readonly File[]) => add(fromInput(files, isFromCamera))
  const files = useFileInput({
    id: INPUT_IDS.files,
    label: text.files,
    isMultiple: !isSingle,
    accept: fileKinds?.map((kind) => `.${kind}`).join(),
    onFiles: choose(false),
  })
  const folder = useFileInput({ id: INPUT_IDS.folder, from: 'folder', label: text.folder, onFiles: choose(false) })
  const camera = useFileInput({ from: 'camera', label: text.camera, onFiles: choose(true) })
  const takesPhotos = fileKinds === undefined || fileKinds.some((kind) => kind === 'jpg' || kind === 'jpeg')
  const canChooseFolder = !isSingle && canChooseFolders()
  const [first, more] = isSingle ? [text.file, text.otherFile] : [text.files, text.more]
  return (
    <div class="choosers">
      {!isShut && (
        <>
          <Button
            kind={isFirst && !isCompact ? 'primary' : undefined}
            icon={isCompact ? 'add' : 'file'}
            disabled={!isReady}
            onClick={files.open}
          >
            {isCompact ? more : first}
          </Button>
          {takesPhotos && (
            <span class="touch-only">
              <Button icon="camera" disabled={!isReady} onClick={camera.open}>
                {text.camera}
              </Button>
            </span>
          )}
          {canChooseFolder && (
            <Button icon="folder" disabled={!isReady} onClick={folder.open}>
              {text.folder}
            </Button>
          )}
        </>
      )}
      {files.input}
      {folder.input}
      {camera.input}
    </div>
  )
}

function fromInput(files: readonly File[], isFromCamera: boolean): readonly ChosenFile[] {
  return filesOfInput(files).map((found) => ({ ...found, isNew: isFromCamera }))
}

function notFromCamera(found: FoundFile): ChosenFile {
  return { ...found, isNew: false }
}

function RemarkLines({ remarks, isShut }: Pick<DropZoneProps, 'remarks' | 'isShut'>) {
  const text = useText(guestTexts)
  const tell = useTell()
  const known = remarks.filter(({ about }) => about === 'already_there' || about === 'already_landed')
  return (
    <>
      <p class="remark small" role="status">
        {remarks.map(({ serial, about, count, name }) => (
          <bdi key={serial}>{text.remarks[about](count, name)} </bdi>
        ))}
      </p>
      {known.length > 0 && !isShut && (
        <Button icon="add" onClick={() => tell({ do: 'addAnyway' })}>
          {text.addAnyway(known.reduce((sum, { count }) => sum + count, 0))}
        </Button>
      )}
    </>
  )
}

/** The whole page accepts dropped and pasted files. Browsers would open a dropped file instead of it. */
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

/** Office programs copy a picture together with the text; a paste into a field means the text. */
function isTextFor({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  return isField && clipboardData?.types.includes('text/plain') === true
}

function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') === true
}
