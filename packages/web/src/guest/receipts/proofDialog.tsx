/** What proofs show and what they do not, and every word that their readers read, before any is saved. */
import { Button, Dialog, DialogEnd, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { proof as de } from '../../text/de/proof.ts'
import { proof as en } from '../../text/en/proof.ts'
import type { ProofStatus, ProofWords } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

const proofTexts = { en, de }

interface ProofDialogProps {
  readonly proofs: ProofStatus
}

export function ProofDialog({ proofs }: ProofDialogProps) {
  const text = useText(proofTexts)
  const { receipt } = useText(guestTexts)
  const tell = useTell()
  const close = () => tell({ do: 'dropProofs' })
  const count = proofs.is === 'made' ? proofs.words.reduce((sum, words) => sum + filesIn(words), 0) : 0
  return (
    <Dialog title={text.title} closeLabel={text.close} onClose={close}>
      <p>{receipt.proofShows}</p>
      <p>{receipt.proofHides}</p>
      <Notice tone="warn">
        <p>{text.key}</p>
        <p>{text.found}</p>
      </Notice>
      <Made proofs={proofs} count={count} />
      <DialogEnd>
        {count > 0 && (
          <Button kind="primary" icon="download" onClick={() => tell({ do: 'saveProofs' })}>
            {text.save(count)}
          </Button>
        )}
        <Button kind="quiet" onClick={close}>
          {text.cancel}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}

function Made({ proofs, count }: ProofDialogProps & { readonly count: number }) {
  const text = useText(proofTexts)
  const tell = useTell()
  switch (proofs.is) {
    case 'checking':
      return (
        <div class="stack tight">
          <p role="status">{text.checking}</p>
          <Progress label={text.checking} value={proofs.doneBytes} max={Math.max(1, proofs.totalBytes)} />
        </div>
      )
    case 'failed':
      return (
        <Notice tone="bad">
          <p>{text.failed}</p>
          <div>
            <Button icon="retry" onClick={() => tell({ do: 'makeProofs' })}>
              {text.retry}
            </Button>
          </div>
        </Notice>
      )
    case 'made':
      return (
        <>
          {proofs.changedFiles > 0 && (
            <Notice tone="warn">
              <p>{text.changed(proofs.changedFiles)}</p>
              <NameList names={proofs.changed} more={proofs.changedFiles - proofs.changed.length} />
            </Notice>
          )}
          {count > 0 && <h3>{text.reads(count)}</h3>}
          {proofs.words.map((words) => (
            <Words key={words.files[0]?.name} words={words} />
          ))}
        </>
      )
  }
}

function Words({ words }: { readonly words: ProofWords }) {
  const text = useText(proofTexts)
  const format = useText(formats)
  const { sender, note, answers, goFiles, files, moreFiles } = words
  const facts = [
    [text.sender, sender],
    [text.note, note],
    [text.go, goFiles === undefined ? undefined : text.goFiles(goFiles)],
  ] as const
  const about = ({ size, modifiedAt }: ProofWords['files'][number]) =>
    modifiedAt === undefined
      ? format.bytes(size)
      : `${format.bytes(size)}, ${text.changedAt(format.instant(modifiedAt))}`
  return (
    <dl class="receipt-facts proof-words small">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt class="soft">{name}</dt>
              <dd>
                <Name>{value}</Name>
              </dd>
            </div>
          ),
      )}
      {answers.map(([label, value]) => (
        <div key={label}>
          <dt class="soft">
            <Name>{label}</Name>
          </dt>
          <dd>
            <Name>{value}</Name>
          </dd>
        </div>
      ))}
      <div>
        <dt class="soft">{text.name}</dt>
        {files.map((file) => (
          <dd key={file.name}>
            <Name>{file.name}</Name> <span class="soft">({about(file)})</span>
          </dd>
        ))}
        {moreFiles > 0 && <dd>{text.more(moreFiles)}</dd>}
      </div>
    </dl>
  )
}

interface NameListProps {
  readonly names: readonly string[]
  readonly more: number
}

function NameList({ names, more }: NameListProps) {
  const text = useText(proofTexts)
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <Name>{name}</Name>
        </li>
      ))}
      {more > 0 && <li>{text.more(more)}</li>}
    </ul>
  )
}

function filesIn({ files, moreFiles }: ProofWords): number {
  return files.length + moreFiles
}
