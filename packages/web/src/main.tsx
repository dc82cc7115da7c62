import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { applyTheme, chosenTheme } from './app/theme.js';
import './app/style.css';

// Before the first paint, or a dark room would flash.
applyTheme(chosenTheme());

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
