import { isLanguage, keepLanguage, LANGUAGES } from './language.ts'
import { useReader } from './reader.ts'

export function LanguageSelect({ label }: { readonly label: string }) {
  const { language, onLanguage } = useReader()
  return (
    <label class="small soft">
      <span class="visually-hidden">{label}</span>
      <select
        value={language}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          if (!isLanguage(chosen)) return
          keepLanguage(chosen)
          onLanguage(chosen)
        }}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
