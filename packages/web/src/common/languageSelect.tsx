import { isLanguage, keepLanguage, LANGUAGES, type Language } from './language.ts'

interface LanguageSelectProps {
  readonly label: string
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}

export function LanguageSelect({ label, language, onLanguage }: LanguageSelectProps) {
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
