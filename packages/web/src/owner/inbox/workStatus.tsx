/** The progress of a task on several files, and its failures. */
import { Button, Name, Notice, Progress } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import { errorText } from '../errorText.ts'
import { inboxText, plainNameOf } from './texts.ts'
import type { DropWork } from './useDropWork.ts'

interface WorkStatusProps {
  readonly work: DropWork
  readonly language: Language
}

export function WorkStatus({ work, language }: WorkStatusProps) {
  const { running, failed } = work
  const text = inboxText(language)
  return (
    <>
      {running !== undefined && (
        <div class="card work stack tight">
          <div class="row apart">
            <p role="status">
              {textsOf(running.task.kind, language).running(running.finished, running.task.items.length)}
            </p>
            <Button kind="quiet" icon="close" onClick={work.stop}>
              {text.stop}
            </Button>
          </div>
          <Progress
            label={textsOf(running.task.kind, language).running(running.finished, running.task.items.length)}
            value={running.finished}
            max={running.task.items.length}
          />
        </div>
      )}
      {failed !== undefined && (
        <Notice tone="bad">
          <p>
            <strong>{textsOf(failed.task.kind, language).failed(failed.failures.length)}</strong>
          </p>
          <ul class="bullets failures">
            {failed.failures.map(({ item, error }) => (
              <li key={item.dropId}>
                <Name>{plainNameOf(item, language)}</Name>: {errorText(error, language)}
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

function textsOf(kind: 'keep' | 'discard', language: Language) {
  const { keeping, discarding } = inboxText(language)
  return kind === 'keep' ? keeping : discarding
}
