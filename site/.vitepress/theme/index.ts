// The fonts of the reader's system: those of the default theme would be 1 MB of files.
import theme from 'vitepress/theme-without-fonts'

export default theme
