"""Kedro's configuration loader, with what is yours on top of every environment."""

from typing import Any

from kedro.config import MissingConfigException, OmegaConfigLoader
from omegaconf import OmegaConf

OWN = "local"
LAYERED = ("parameters", "tracking")


class LayeredConfigLoader(OmegaConfigLoader):
    """``conf/base``, then the environment, then ``conf/local``, then ``--params``.

    Kedro itself reads ``conf/local`` only where no ``--env`` is given, so that a user's own
    corpus would silently give way to the default one in ``--env smoke``.
    """

    def __getitem__(self, key: str) -> dict[str, Any]:
        """The configuration of a key; parameters and tracking have the user's own layer on top."""
        merged = super().__getitem__(key)
        if key not in LAYERED or self.env in (None, self.base_env, OWN):
            return merged
        own = OmegaConfigLoader(
            self.conf_source,
            runtime_params=self.runtime_params,
            config_patterns={key: self.config_patterns[key]},
            base_env=OWN,
            default_run_env=OWN,
        )
        try:
            layer = own[key]
        except MissingConfigException:  # nothing of one's own
            return merged
        layered: dict[str, Any] = OmegaConf.to_container(OmegaConf.merge(merged, layer))  # type: ignore[assignment]
        return layered
