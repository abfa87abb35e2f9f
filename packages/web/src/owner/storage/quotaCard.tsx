import type { Quota } from '@blindkeep/client/owner'
import { Notice, Progress } from '../../common/controls.tsx'
import { formatBytes, formatPercent } from '../../common/format.ts'
import type { Language } from '../../common/language.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { fillOf, QUOTA_TONES } from './quota.ts'
import { storageText } from './texts.ts'
import { useQuota } from './useQuota.ts'

/** Appears above every page while the quota needs the owner's attention. */
export function QuotaBanner() {
  const { language } = useOwnerPages()
  const { value } = useQuota()
  if (value === undefined || value.state === 'ok') return null
  const text = storageText(language).quota
  const { title, meaning } = text.states[value.state]
  return (
    <div class="banner no-print">
      <Notice tone={QUOTA_TONES[value.state]}>
        <p>
          <strong>{title}</strong>
          {fillOf(value) !== undefined && ` · ${usedWords(value, language)}`}
        </p>
        <p class="small">{meaning}</p>
        <p>
          <a href="#/storage">{text.toPage}</a>
        </p>
      </Notice>
    </div>
  )
}

export function QuotaCard() {
  const { language } = useOwnerPages()
  const { value, error, reload } = useQuota()
  const text = storageText(language).quota
  return (
    <section class="card stack no-print" aria-labelledby="quota-heading" aria-busy={value === undefined}>
      <h2 id="quota-heading">{text.heading}</h2>
      {error !== undefined && <ErrorNotice error={error} language={language} onRetry={reload} />}
      {value !== undefined && <QuotaMeter quota={value} language={language} />}
      <p class="small soft">{text.what}</p>
    </section>
  )
}

function QuotaMeter({ quota, language }: { readonly quota: Quota; readonly language: Language }) {
  const text = storageText(language).quota
  const fill = fillOf(quota)
  const { title, meaning } = text.states[quota.state]
  if (fill === undefined)
    return (
      <p>
        <strong class="figure">{text.usedUnlimited(formatBytes(quota.used, language))}</strong>
        <br />
        <span class="soft">{text.unlimited}</span>
      </p>
    )
  return (
    <div class="stack tight">
      <p class="row apart">
        <strong class="figure">{usedWords(quota, language)}</strong>
        <span class="soft">
          {formatPercent(fill.used, fill.limit, language)} ·{' '}
          {fill.left === 0 ? text.none : text.left(formatBytes(fill.left, language))}
        </span>
      </p>
      <div class={`meter ${QUOTA_TONES[quota.state]}`}>
        <Progress label={text.bar} value={Math.min(fill.used, fill.limit)} max={Math.max(1, fill.limit)} />
      </div>
      {quota.state === 'ok' ? (
        <p class="small soft">
          {title}.{fill.soft !== undefined && ` ${text.soft(formatBytes(fill.soft, language))}`}
        </p>
      ) : (
        <Notice tone={QUOTA_TONES[quota.state]}>
          <p>
            <strong>{title}</strong>
          </p>
          <p>{meaning}</p>
        </Notice>
      )}
    </div>
  )
}

function usedWords(quota: Quota, language: Language): string {
  const text = storageText(language).quota
  const fill = fillOf(quota)
  const used = formatBytes(quota.used, language)
  return fill === undefined ? text.usedUnlimited(used) : text.used(used, formatBytes(fill.limit, language))
}
