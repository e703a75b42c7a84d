// Elements are made here and nowhere else. Text becomes text, never markup:
// documents are written by strangers, and so are their names.

const svgSpace = "http://www.w3.org/2000/svg";

// h makes an element. Of the properties, "on" holds listeners and "class" the
// classes; false and null leave an attribute out. Children are elements or text.
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

// s makes an element of a drawing.
function s(tag, properties, ...children) {
  return fill(document.createElementNS(svgSpace, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== false && value != null) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

// words is text of a stranger: its direction is its own and ends with it.
export function words(tag, className, text) {
  return h(tag, { class: className, dir: "auto" }, text ?? "");
}

// icon draws a mark of the page's own, on a field of 16 × 16.
export function icon(path) {
  return s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: path }));
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// reveal scrolls to an element, opens what hides it, and marks it for a moment.
export function reveal(element, block = "center") {
  for (let e = element; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  element.scrollIntoView({ block, behavior: calm() ? "instant" : "smooth" });
  element.classList.add("revealed");
  setTimeout(() => element.classList.remove("revealed"), 1600);
}
