/** The look of the components: neutral, with the colours of `theme.css`. */
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** Fills of buttons: near black on light pages, near white on dark ones. */
const ink: MantineColorsTuple = [
  '#f4f4f2',
  '#ededef',
  '#d5d6d8',
  '#b7babd',
  '#8f9398',
  '#6b6f74',
  '#4b4f54',
  '#33373b',
  '#26292c',
  '#1b1c1d',
];

const dark: MantineColorsTuple = [
  '#ededef',
  '#c9cbce',
  '#a3a7ac',
  '#7e8286',
  '#33373b',
  '#26292d',
  '#1c1f22',
  '#0e0f11',
  '#151719',
  '#0a0b0c',
];

const SYSTEM = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** The name of the cross that closes a dialog. */
const CLOSE = { 'aria-label': 'Close' };

/** The parent of floating choices and tips: the page, since an element outside it is in no landmark. */
const FLOATS = { target: '#main' };

/** A light overlay: the page stays readable behind a dialog. */
const OVERLAY = { backgroundOpacity: 0.35 };

/** Dialogs say what they are as pages do. */
const TITLE = { title: { fontSize: 16, fontWeight: 550 } };

/** The theme. */
export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 1 },
  // A fill is dark on light pages and light on dark ones, and what stands on it the other way round.
  variantColorResolver: input => {
    const colours = defaultVariantColorsResolver(input);
    if (input.variant !== 'filled' || (input.color ?? 'ink') !== 'ink') return colours;
    return {
      ...colours,
      background: 'var(--ink)',
      hover: 'color-mix(in srgb, var(--ink) 85%, var(--page))',
      color: 'var(--page)',
    };
  },
  colors: { ink, dark },
  fontFamily: SYSTEM,
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: SYSTEM, fontWeight: '550' },
  defaultRadius: 6,
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs', fw: 550 } },
    TextInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', comboboxProps: { transitionProps: { duration: 0 }, portalProps: FLOATS } } },
    Autocomplete: {
      defaultProps: { size: 'xs', comboboxProps: { transitionProps: { duration: 0 }, portalProps: FLOATS } },
    },
    MultiSelect: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs', transitionDuration: 100 } },
    Modal: {
      defaultProps: {
        transitionProps: { duration: 100 },
        centered: true,
        closeButtonProps: CLOSE,
        overlayProps: OVERLAY,
      },
      styles: TITLE,
    },
    Drawer: {
      defaultProps: { transitionProps: { duration: 100 }, closeButtonProps: CLOSE, overlayProps: OVERLAY },
      styles: TITLE,
    },
    // The head of a dialog is not the head of the page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // A menu stands where its button does, inside a landmark, and its first item has the focus.
    Menu: {
      defaultProps: {
        transitionProps: { duration: 0 },
        withinPortal: false,
        withInitialFocusPlaceholder: false,
        // Keys do not close it from outside: an arrow right after the key that opens it comes before the focus does.
        clickOutsideEvents: ['mousedown', 'touchstart'],
      },
    },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 0 }, portalProps: FLOATS } },
  },
});

/** Mantine's own variables from those of `theme.css`. */
export const resolver: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-2)',
    '--mantine-color-placeholder': 'var(--ink-2)',
    '--mantine-color-default': 'var(--raised)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-error': 'var(--failed)',
  };
  return { variables: {}, light: shared, dark: shared };
};
