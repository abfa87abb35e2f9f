/** The progress of a task on several files, and its failures. */
import { Button, Name, Notice, Progress } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { errorTexts } from '../errorText.ts'
import { type InboxText, inboxTexts, plainNameOf } from './texts.ts'
import type { DropWork } from './useDropWork.ts'

interface WorkStatusProps {
  readonly work: DropWork
}

export function WorkStatus({ work }: WorkStatusProps) {
  const errorText = useText(errorTexts)
  const { running, failed } = work
  const text = useText(inboxTexts)
  return (
    <>
      {running !== undefined && (
        <div class="card work stack tight">
          <div class="row apart">
            <p role="status">{textsOf(running.task.kind, text).running(running.finished, running.task.items.length)}</p>
            <Button kind="quiet" icon="close" onClick={work.stop}>
              {text.stop}
            </Button>
          </div>
          <Progress
            label={textsOf(running.task.kind, text).running(running.finished, running.task.items.length)}
            value={running.finished}
            max={running.task.items.length}
          />
        </div>
      )}
      {failed !== undefined && (
        <Notice tone="bad">
          <p>
            <strong>{textsOf(failed.task.kind, text).failed(failed.failures.length)}</strong>
          </p>
          <ul class="bullets failures">
            {failed.failures.map(({ item, error }) => (
              <li key={item.dropId}>
                <Name>{plainNameOf(item, text)}</Name>: {errorText(error)}
              </li>
            ))}
          </ul>
          <div class="row">
            <Button
              icon="retry"
              onClick={() => work.begin({ ...failed.task, items: failed.failures.map(({ item }) => item) })}
            >
              {text.retry}
            </Button>
            <Button kind="quiet" onClick={work.dismiss}>
              {text.close}
            </Button>
          </div>
        </Notice>
      )}
    </>
  )
}

function textsOf(kind: 'keep' | 'discard', { keeping, discarding }: InboxText) {
  return kind === 'keep' ? keeping : discarding
}
