/** One file of the inbox: its details, a preview on request, and the actions. */
import { DropError, SealError } from '@blindkeep/client/errors'
import type { Asked } from '@blindkeep/client/questions'
import { useState } from 'preact/hooks'
import { Button, Dialog, DialogEnd, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import type { SavingNow } from '../../common/files/useSaving.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { whyNoPreview } from '../../preview/mayHavePreview.ts'
import { NoPreview, Preview } from '../../preview/previewPane.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import { AnswerFacts, FileMarks } from './answerList.tsx'
import { shownAnswersOf } from './answers.ts'
import type { ListedDrop } from './dropList.ts'
import type { DropActions } from './dropRow.tsx'
import { nameOf, plainNameOf, savedNameOf, shortNoteOf, sizeOf, troubleText } from './dropTexts.ts'

interface DropDialogProps extends Pick<DropActions, 'onKeep' | 'onDownload' | 'onDiscard'> {
  readonly item: ListedDrop
  readonly linkLabel: string
  readonly asked: Asked | undefined
  /** The file was removed from the inbox while the dialog was open. */
  readonly isRemoved: boolean
  readonly isBusy: boolean
  readonly saving: SavingNow | undefined
  readonly fault: string | undefined
  readonly onStop: () => void
  readonly onClose: () => void
}

export function DropDialog(props: DropDialogProps) {
  const { item, isRemoved, isBusy, saving, fault, onStop, onClose } = props
  const text = useText(inboxTexts)
  const { file } = item
  const trouble = troubleText(item, text)
  return (
    <Dialog title={nameOf(item, text)} closeLabel={text.close} onClose={onClose}>
      {isRemoved && <Notice tone="info">{text.details.removed}</Notice>}
      {trouble !== undefined && <Notice tone="warn">{trouble}</Notice>}
      {file?.note !== undefined && <Note note={file.note} />}
      {file !== undefined && !isRemoved && <PreviewPart item={item} file={file} />}
      <FileMarks marks={shownAnswersOf(file, props.asked).marks} />
      <FactList {...props} />
      <DialogEnd>
        {saving !== undefined && (
          <div class="stack tight">
            <Progress label={text.downloading(saving.name)} value={saving.share} />
            <div>
              <Button kind="quiet" icon="close" onClick={onStop}>
                {text.stop}
              </Button>
            </div>
          </div>
        )}
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        {!isRemoved && (
          <>
            {file !== undefined && (
              <>
                <Button kind="primary" icon="folder" disabled={isBusy} onClick={() => props.onKeep([item])}>
                  {text.keepLong}
                </Button>
                <Button icon="download" disabled={saving !== undefined} onClick={() => props.onDownload(item)}>
                  {text.download}
                </Button>
              </>
            )}
            <Button kind="danger" icon="trash" disabled={isBusy} onClick={() => props.onDiscard([item])}>
              {text.discard}
            </Button>
          </>
        )}
      </DialogEnd>
    </Dialog>
  )
}

function Note({ note }: { readonly note: string }) {
  const text = useText(inboxTexts)
  const [isWhole, setWhole] = useState(false)
  const short = shortNoteOf(note)
  const isLong = short !== note
  return (
    <section class="stack tight" aria-label={text.note}>
      <blockquote class={`note-whole ${isLong && !isWhole ? 'folded' : ''}`}>
        <Name>{isWhole ? note : short}</Name>
      </blockquote>
      {isLong && (
        <div>
          <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
            {isWhole ? text.noteLess : text.noteMore}
          </Button>
        </div>
      )}
    </section>
  )
}

function FactList({ item, linkLabel, asked }: DropDialogProps) {
  const inboxText = useText(inboxTexts)
  const text = inboxText.details
  const format = useText(formats)
  const { file, receivedAt, sealedBytes } = item
  const savedAs = savedNameOf(item, inboxText)
  const modified = file?.modifiedAt
  return (
    <>
      <dl class="drop-facts">
        {file !== undefined && (
          <Fact term={text.sender}>{file.sender === undefined ? text.senderNone : <Name>{file.sender}</Name>}</Fact>
        )}
        <AnswerFacts {...{ file, asked }} />
        <Fact term={text.size}>
          {format.bytes(sizeOf(item))}
          {file !== undefined && <span class="soft"> · {text.sealedSize(format.bytes(sealedBytes))}</span>}
        </Fact>
        <Fact term={text.received}>{format.instant(receivedAt)}</Fact>
        <Fact term={text.link}>
          <Name>{linkLabel}</Name>
        </Fact>
        {modified !== undefined && <Fact term={text.modified}>{format.instant(modified)}</Fact>}
        {file?.type !== undefined && file.type !== '' && (
          <Fact term={text.type}>
            <Name>{file.type}</Name>
          </Fact>
        )}
        {file?.name !== undefined && savedAs !== file.name && (
          <Fact term={text.savedAs}>
            <Name>{savedAs}</Name>
          </Fact>
        )}
      </dl>
      {file !== undefined && <p class="small soft">{text.unverified}</p>}
    </>
  )
}

interface PreviewPartProps {
  readonly item: ListedDrop
  readonly file: NonNullable<ListedDrop['file']>
}

function PreviewPart({ item, file: { name, type } }: PreviewPartProps) {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  const errorText = useText(errorTexts)
  const [isAskedFor, setAskedFor] = useState(false)
  const why = whyNoPreview({ name, type, size: sizeOf(item) })
  if (why !== undefined) return <NoPreview why={why} />
  if (!isAskedFor)
    return (
      <div class="stack tight">
        <div>
          <Button icon="eye" onClick={() => setAskedFor(true)}>
            {text.details.preview}
          </Button>
        </div>
        <p class="small soft">{text.details.previewAbout}</p>
      </div>
    )
  return (
    <Preview
      name={plainNameOf(item, text)}
      open={(signal) => owner.openDrop(item, { signal })}
      explain={(error) => (isTampered(error) ? text.tamperedPreview : errorText(error))}
    />
  )
}

/** The bytes are not the sealed ones, or not the ones that the inbox lists. */
export function isTampered(error: unknown): boolean {
  return error instanceof SealError || error instanceof DropError
}
