/** Dark or light: as the system has it, unless the reader chose. */
import { effect, signal } from '@preact/signals'

const stored = 'forkroute.theme'
export const themes = ['system', 'light', 'dark'] as const

export const theme = signal(themes.find((one) => one === localStorage.getItem(stored)) ?? 'system')
effect(() => {
  document.documentElement.dataset.theme = theme.value
})

export function setTheme(value: string): void {
  theme.value = themes.find((one) => one === value) ?? 'system'
  localStorage.setItem(stored, theme.value)
}

const system = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(system.matches)
system.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

/** For what is drawn, and so does not change with the style. */
export function isDark(): boolean {
  return theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'
}
